import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Field } from '../../components/field';
import { ChoiceField, DateFields } from '../../components/filters';
import type { ExperimentQuestion } from '../../data/experiments';
import { texts } from '../../texts/texts';

const { filters: words } = texts.experiments;
const VISIT = 'visit:';

/** Goal, period and effect that the results are about. */
export function QuestionFields({
  question,
  goals,
  onChange,
}: {
  readonly question: ExperimentQuestion;
  readonly goals: Schemas.ExperimentResults['goals'];
  readonly onChange: (changed: Partial<ExperimentQuestion>) => void;
}) {
  const { goal } = question;
  const [isVisit, setVisit] = useState(goal.startsWith(VISIT));
  const names = new Set([...goals.map((other) => other.goal), ...(goal && !isVisit ? [goal] : [])]);
  const countOf = (name: string) => goals.find((other) => other.goal === name)?.conversions ?? 0;
  return (
    <search class="question" aria-label={words.label}>
      <ChoiceField
        label={words.goal}
        value={isVisit ? VISIT : goal}
        options={[
          ['', words.anyGoal],
          ...[...names].map((name) => [name, words.goalWithCount(name, countOf(name))] as const),
          [VISIT, words.visitGoal],
        ]}
        onChange={(chosen) => {
          setVisit(chosen === VISIT);
          onChange({ goal: chosen === VISIT ? '' : chosen });
        }}
      />
      {isVisit && (
        <Field label={words.visit} hint={words.visitHint}>
          {(control) => (
            <input
              {...control}
              class="input"
              spellcheck={false}
              value={goal.slice(VISIT.length)}
              onChange={({ currentTarget: { value } }) =>
                onChange({ goal: value.trim() === '' ? '' : VISIT + value.trim() })
              }
            />
          )}
        </Field>
      )}
      <DateFields labels={{ start: words.start, end: words.end }} values={question} onChange={onChange} />
      <Field label={words.effect}>
        {(control) => (
          <input
            {...control}
            class="input"
            inputMode="numeric"
            placeholder="10"
            value={question.effectPercent}
            onChange={({ currentTarget }) => onChange({ effectPercent: currentTarget.value.trim() })}
          />
        )}
      </Field>
      <label class="choice">
        <input
          type="checkbox"
          checked={question.includeBots === 'true'}
          onChange={({ currentTarget }) => onChange({ includeBots: currentTarget.checked ? 'true' : '' })}
        />
        {words.bots}
      </label>
    </search>
  );
}
