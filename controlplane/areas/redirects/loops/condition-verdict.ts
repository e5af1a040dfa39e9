import type { RuleCondition } from '../../../../shared/rules/rule-definition.js';

/** Whether a condition or a rule matches all visitors of a group, none of them, or perhaps some. */
export type Verdict = 'always' | 'never' | 'perhaps';

/** Attributes that can change between hops. Clients shorten or drop the referrer. */
const CHANGING: ReadonlySet<RuleCondition['attribute']> = new Set([
  'url_path',
  'query_param',
  'referrer',
  'referrer_domain',
]);

/** Attributes with at most one value per visitor, compared exactly. */
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

/** A prepared condition, because a search compares conditions thousands of times. */
interface Compared {
  /** Key that is equal for equal conditions. */
  readonly text: string;
  readonly values: ReadonlySet<string>;
}
const compared = new WeakMap<RuleCondition, Compared>();

/** Returns whether a condition that holds at one hop holds at every hop. */
export function isStable({ attribute }: RuleCondition): boolean {
  return !CHANGING.has(attribute);
}

/**
 * Returns whether `condition` holds for the visitors for whom `facts` hold.
 *
 * @param facts stable conditions
 */
export function verdictOf(condition: RuleCondition, facts: readonly RuleCondition[]): Verdict {
  if (!isStable(condition)) return 'perhaps';
  const { text } = comparedOf(condition);
  for (const fact of facts) {
    if (comparedOf(fact).text === text) return 'always';
    const verdict = compareValues(condition, fact);
    if (verdict !== 'perhaps') return verdict;
  }
  return 'perhaps';
}

/** Compares the values of `condition` with those that `fact` allows. */
function compareValues(condition: RuleCondition, fact: RuleCondition): Verdict {
  const isComparable = condition.attribute === fact.attribute && EXACT.has(fact.attribute);
  if (!isComparable || !isPositive(fact)) return 'perhaps';
  const { values } = comparedOf(condition);
  let common = 0;
  const allowed = comparedOf(fact).values;
  for (const value of allowed) if (values.has(value)) common += 1;
  const [all, none]: readonly Verdict[] = isPositive(condition) ? ['always', 'never'] : ['never', 'always'];
  if (!isPositive(condition) && !isNegative(condition)) return 'perhaps';
  return (common === allowed.size ? all : common === 0 ? none : undefined) ?? 'perhaps';
}

function comparedOf(condition: RuleCondition): Compared {
  const known = compared.get(condition);
  if (known !== undefined) return known;
  const { value } = condition;
  const values = new Set((Array.isArray(value) ? value : [value]).map(String));
  const made = { text: JSON.stringify(condition), values };
  compared.set(condition, made);
  return made;
}

function isPositive({ operator }: RuleCondition): boolean {
  return operator === 'equals' || operator === 'in';
}

function isNegative({ operator }: RuleCondition): boolean {
  return operator === 'not_equals' || operator === 'not_in';
}
