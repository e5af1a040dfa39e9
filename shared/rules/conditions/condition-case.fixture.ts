import type { Attribute, Operator } from '../attributes.js';
import type { RuleCondition } from '../rule-definition.js';
import { createTestVisitor, type TestVisitor, type TestVisitorTraits } from '../visitor.fixture.js';

/** What a visitor has of an attribute; of a query parameter, all its values; of a referrer, all its domains. */
export type Possession = string | number | readonly string[];

/** For one operator on one attribute: who satisfies it, who does not, and whether those who have nothing do. */
export type ConditionCase = readonly [
  attribute: Attribute,
  operator: Operator,
  value: RuleCondition['value'],
  satisfiedBy: readonly Possession[],
  notBy: readonly Possession[],
  /** Undefined for the clock, which everybody has. */
  byNobody: boolean | undefined,
];

/** The query parameter that the cases are about. */
export const PARAM = 'utm_source';

const TRAITS = {
  country: 'country',
  region: 'region',
  city: 'city',
  device_type: 'deviceType',
  device_brand: 'deviceBrand',
  device_model: 'deviceModel',
  browser_name: 'browserName',
  browser_version: 'browserVersion',
  os_name: 'osName',
  os_version: 'osVersion',
  referrer: 'referrer',
  hour_of_day: 'hourOfDay',
  day_of_week: 'dayOfWeek',
  language: 'language',
  url_path: 'urlPath',
  user_agent: 'userAgent',
  ip_address: 'address',
} as const satisfies Record<Exclude<Attribute, 'query_param' | 'referrer_domain'>, keyof TestVisitorTraits>;

/** Somebody who has only this. */
export function visitorWith(attribute: Attribute, possession: Possession): TestVisitor {
  if (attribute === 'referrer_domain') return createTestVisitor({ referrerDomains: textsOf(possession) });
  if (attribute === 'query_param') return createTestVisitor({ query: { [PARAM]: textsOf(possession) } });
  return createTestVisitor({ [TRAITS[attribute]]: possession });
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
