import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAddressFilter } from '../../components/address-filter';
import { Field } from '../../components/field';
import { ChoiceField, DateFields } from '../../components/filters';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { type ExperimentQuestion, QUESTION, useExperiment } from '../../data/experiments';
import { useRules } from '../../data/rules';
import { FactsCard, IntervalCards, SegmentsCard, VerdictCard } from '../../features/experiments/result-cards';
import { VariantTable } from '../../features/experiments/variant-table';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { experiments: words } = texts;
const { filters: filterWords } = words;

/** The page with the results of an A/B test or a percentage rule. */
export default function ResultsPage({ redirect: { id }, params: { ruleId = '' } }: RedirectPageProps) {
  const [question, change] = useAddressFilter(...QUESTION);
  const results = useExperiment(ruleId, question);
  const rule = useRules(id).data?.find((other) => String(other.id) === ruleId);
  return (
    <>
      <div class="part-head">
        <div>
          <Link href={routes.redirectPart(id, 'rules')} class="back">
            {words.back}
          </Link>
          <h2>{words.of(rule?.name ?? ruleId)}</h2>
        </div>
      </div>
      <QuestionFields question={question} goals={results.data?.goals ?? []} onChange={change} />
      <Loaded query={results}>{(data) => <Results ruleId={ruleId} results={data} />}</Loaded>
    </>
  );
}

function Results({
  ruleId,
  results,
}: {
  readonly ruleId: string;
  readonly results: Schemas.ExperimentResults;
}) {
  const isWithoutGoal = results.goal === null && results.goals.length === 0;
  return (
    <>
      <VerdictCard numbers={results} />
      {isWithoutGoal && (
        <Card title={words.noConversions.title}>
          <p>
            {words.noConversions.body} <code>POST /experiments/{ruleId}/conversions</code>.
          </p>
        </Card>
      )}
      <IntervalCards numbers={results} />
      <Card flush>
        <VariantTable label={words.title} numbers={results} />
      </Card>
      <SegmentsCard segments={results.segments} />
      <FactsCard results={results} />
    </>
  );
}

const VISIT = 'visit:';

/** Fields for the goal, the period and the effect size of the results. */
function QuestionFields({
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
    <search class="question" aria-label={filterWords.label}>
      <ChoiceField
        label={filterWords.goal}
        value={isVisit ? VISIT : goal}
        options={[
          ['', filterWords.anyGoal],
          ...[...names].map((name) => [name, filterWords.goalWithCount(name, countOf(name))] as const),
          [VISIT, filterWords.visitGoal],
        ]}
        onChange={(chosen) => {
          setVisit(chosen === VISIT);
          onChange({ goal: chosen === VISIT ? '' : chosen });
        }}
      />
      {isVisit && (
        <Field label={filterWords.visit} hint={filterWords.visitHint}>
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
      <DateFields
        labels={{ start: filterWords.start, end: filterWords.end }}
        values={question}
        onChange={onChange}
      />
      <Field label={filterWords.effect}>
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
        {filterWords.bots}
      </label>
    </search>
  );
}
