import type { Rule } from '@waymark/client';
import { Link } from 'wouter-preact';
import { Badge, type Tone } from '../../components/badge';
import { Button, LinkButton } from '../../components/button';
import { Card } from '../../components/layout';
import { useToast } from '../../components/toasts';
import { type DraftContent, type DraftedRule, draftedRule } from '../../data/drafts';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { RuleSummary } from '../rules/rule-summary';

const { drafts, rules: ruleWords } = texts;
const { rules: words } = drafts;
const TONES: Readonly<Record<keyof typeof words.states, Tone>> = {
  new: 'good',
  changed: 'warning',
  moved: 'warning',
  same: 'neutral',
};

interface Props {
  readonly id: string;
  /** The current rules. */
  readonly live: readonly Rule[];
  readonly rules: readonly DraftedRule[] | undefined;
  /** Whether a change is being saved. Another change now would start from the previous rules. */
  readonly isBusy: boolean;
  readonly onEdit: (change: (content: DraftContent) => DraftContent, done?: () => void) => void;
}

/** The rules of the draft, in their order. */
export function RulesPart({ id, live, rules, isBusy, onEdit }: Props) {
  const toast = useToast();
  const setRules = (changed: readonly DraftedRule[], done?: () => void) =>
    onEdit((content) => ({ ...content, rules: changed }), done);
  if (rules === undefined) {
    return (
      <Card
        title={words.title}
        actions={
          <Button small isBusy={isBusy} onClick={() => setRules(live.map(draftedRule))}>
            {words.begin}
          </Button>
        }
      >
        <p class="quiet">{words.none}</p>
      </Card>
    );
  }
  /** Removes a rule immediately, and offers to undo this. */
  const remove = (rule: DraftedRule) =>
    setRules(
      rules.filter((other) => other !== rule),
      () => toast({ text: words.removed(rule.name), undo: () => setRules(rules) }),
    );
  const gone = live.filter((rule) => rules.every((other) => other.id !== rule.id));
  const move = (from: number, to: number) => {
    const others = rules.filter((_, index) => index !== from);
    setRules([...others.slice(0, to), rules[from] as DraftedRule, ...others.slice(to)]);
  };
  return (
    <Card
      title={words.title}
      actions={
        <div class="button-row">
          <Button small look="quiet" isBusy={isBusy} onClick={() => onEdit(({ rules: _, ...rest }) => rest)}>
            {words.remove}
          </Button>
          <LinkButton small to={routes.draftRule(id, 'new')} icon="plus">
            {ruleWords.add}
          </LinkButton>
        </div>
      }
    >
      {rules.length === 0 && <p class="quiet">{words.emptyList}</p>}
      <ol class="lines">
        {rules.map((rule, index) => (
          <li key={rule.id ?? `new ${rule.name}`}>
            <RuleLine id={id} rule={rule} place={index} state={stateOf(rule, index, live)} />
            <div class="rule-actions">
              <Button
                small
                icon="up"
                label={ruleWords.up(rule.name)}
                aria-disabled={isBusy || index === 0}
                onClick={() => move(index, index - 1)}
              />
              <Button
                small
                icon="down"
                label={ruleWords.down(rule.name)}
                aria-disabled={isBusy || index === rules.length - 1}
                onClick={() => move(index, index + 1)}
              />
              <Button
                small
                icon="trash"
                label={words.removeOne(rule.name)}
                isBusy={isBusy}
                onClick={() => remove(rule)}
              />
            </div>
          </li>
        ))}
      </ol>
      {gone.length > 0 && <p class="quiet">{words.gone(gone.map(({ name }) => name).join(', '))}</p>}
    </Card>
  );
}

function RuleLine({
  id,
  rule,
  place,
  state,
}: {
  readonly id: string;
  readonly rule: DraftedRule;
  readonly place: number;
  readonly state: keyof typeof words.states;
}) {
  return (
    <div class="rule-text">
      <p>
        <Link href={routes.draftRule(id, place)} class="rule-name">
          {rule.name}
        </Link>{' '}
        <Badge tone={TONES[state]}>{words.states[state]}</Badge>
      </p>
      <RuleSummary rule={{ conditions: [], conditionLogic: 'AND', ...rule }} />
    </div>
  );
}

function stateOf(rule: DraftedRule, place: number, live: readonly Rule[]): keyof typeof words.states {
  const before = live.findIndex(({ id }) => id === rule.id);
  const former = live[before];
  if (former === undefined) return 'new';
  const members = Object.keys(rule) as (keyof DraftedRule)[];
  const isSame = members.every((name) => JSON.stringify(rule[name]) === JSON.stringify(former[name]));
  if (!isSame) return 'changed';
  return before === place ? 'same' : 'moved';
}
