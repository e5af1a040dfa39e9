import type { RuleCondition } from '../../shared/rules/rule-definition.js';

/** What is known beforehand of a condition, or a rule, for all visitors of some kind. */
export type Verdict = 'always' | 'never' | 'perhaps';

/** Different from hop to hop, though the visitor is the same: clients cut or drop the referrer, too. */
const CHANGING: ReadonlySet<RuleCondition['attribute']> = new Set([
  'url_path',
  'query_param',
  'referrer',
  'referrer_domain',
]);

/** Each visitor has at most one value of these, which is compared exactly. */
const EXACT: ReadonlySet<RuleCondition['attribute']> = new Set([
  'country',
  'region',
  'city',
  'device_type',
  'device_brand',
  'device_model',
  'browser_name',
  'os_name',
]);

/** Whether a condition holds at every hop if it holds at one. */
export function isStable({ attribute }: RuleCondition): boolean {
  return !CHANGING.has(attribute);
}

/**
 * Whether `condition` holds for the visitors for whom `facts` hold.
 *
 * @param facts stable conditions
 */
export function verdictOf(condition: RuleCondition, facts: readonly RuleCondition[]): Verdict {
  if (!isStable(condition)) return 'perhaps';
  const text = JSON.stringify(condition);
  for (const fact of facts) {
    if (JSON.stringify(fact) === text) return 'always';
    const verdict = compareValues(condition, fact);
    if (verdict !== 'perhaps') return verdict;
  }
  return 'perhaps';
}

/** What the values that `fact` allows say of `condition`. */
function compareValues(condition: RuleCondition, fact: RuleCondition): Verdict {
  const isComparable = condition.attribute === fact.attribute && EXACT.has(fact.attribute);
  if (!isComparable || !isPositive(fact)) return 'perhaps';
  const allowed = valuesOf(fact);
  const values = new Set(valuesOf(condition));
  const isPart = allowed.every((value) => values.has(value));
  const isApart = !allowed.some((value) => values.has(value));
  if (isPositive(condition)) return isPart ? 'always' : isApart ? 'never' : 'perhaps';
  if (!isNegative(condition)) return 'perhaps';
  return isApart ? 'always' : isPart ? 'never' : 'perhaps';
}

function isPositive({ operator }: RuleCondition): boolean {
  return operator === 'equals' || operator === 'in';
}

function isNegative({ operator }: RuleCondition): boolean {
  return operator === 'not_equals' || operator === 'not_in';
}

function valuesOf({ value }: RuleCondition): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}
