import { Icon } from '../../components/icon';
import type { Condition, RuleBody } from '../../data/rules';
import { texts } from '../../texts/texts';

const { rules: words } = texts;

/** Describes a rule in one sentence: its conditions and its destination. */
export function RuleSummary({
  rule,
}: {
  readonly rule: Pick<RuleBody, 'conditions' | 'conditionLogic' | 'action'>;
}) {
  const { action } = rule;
  return (
    <p class="quiet rule-summary">
      <span>
        {rule.conditions.length === 0
          ? words.everyone
          : rule.conditions
              .map(conditionText)
              .join(` ${rule.conditionLogic === 'AND' ? words.and : words.or} `)}
      </span>{' '}
      <Icon name="arrow" />{' '}
      {action.variants ? (
        words.variants(action.variants.map(({ name, percentage }) => `${name} ${percentage} %`).join(', '))
      ) : (
        <>
          {action.percentage === undefined ? (
            <span class="visually-hidden">{words.goesTo}</span>
          ) : (
            words.percentOf(action.percentage)
          )}{' '}
          <code>{action.url}</code>
        </>
      )}
    </p>
  );
}

/** Describes a condition in words, such as “country in DE, AT”. */
export function conditionText({ attribute, operator, value, param }: Condition): string {
  const subject = param ?? attribute.replaceAll('_', ' ');
  const object = value === undefined ? '' : [value].flat().join(', ');
  return `${subject} ${operator.replaceAll('_', ' ')} ${object}`.trim();
}
