import { type Attribute, isSingleText, type Operator } from '../attributes.js';
import type { RuleCondition } from '../rule-definition.js';
import { createTestVisitor, methodOf, type TestVisitor, type TestVisitorTraits } from '../visitor.fixture.js';

/** A visitor's value of an attribute; for a query parameter all values, for a referrer all domains. */
export type Possession = string | number | readonly string[];

/** Visitors who satisfy one operator on one attribute, visitors who do not, and the result without a value. */
export type ConditionCase = readonly [
  attribute: Attribute,
  operator: Operator,
  value: RuleCondition['value'],
  satisfiedBy: readonly Possession[],
  notBy: readonly Possession[],
  /** Undefined for the clock, which always has a value. */
  byNobody: boolean | undefined,
];

/** Name of the query parameter in the cases. */
export const PARAM = 'utm_source';

const CLOCK_AND_ADDRESS = {
  hour_of_day: 'hourOfDay',
  day_of_week: 'dayOfWeek',
  ip_address: 'address',
} as const satisfies Partial<Record<Attribute, keyof TestVisitorTraits>>;

/** Returns a visitor with this value and no others. */
export function visitorWith(attribute: Attribute, possession: Possession): TestVisitor {
  if (attribute === 'referrer_domain') return createTestVisitor({ referrerDomains: textsOf(possession) });
  if (attribute === 'query_param') return createTestVisitor({ query: { [PARAM]: textsOf(possession) } });
  const trait = isSingleText(attribute) ? methodOf(attribute) : CLOCK_AND_ADDRESS[attribute];
  return createTestVisitor({ [trait]: possession });
}

function textsOf(possession: Possession): readonly string[] {
  return [possession].flat().map(String);
}

export function conditionOf(
  attribute: Attribute,
  operator: Operator,
  value: RuleCondition['value'],
): RuleCondition {
  return {
    attribute,
    operator,
    ...(value !== undefined && { value }),
    ...(attribute === 'query_param' && { param: PARAM }),
  };
}
