import fc from 'fast-check';
import { ATTRIBUTES, type Attribute, isClockAttribute, type Operator } from './attributes.js';
import { orderOfVersions } from './naive-order.fixture.js';
import {
  ADDRESS_RANGES,
  ASKED,
  FRAGMENTS,
  PARAMS,
  RARE_PARAMS,
  TIME_ZONES,
} from './random-values.fixture.js';
import type { ConditionValue, RuleCondition } from './rule-definition.js';

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(...FRAGMENTS).map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')),
  },
  fc.constantFrom('.', '[a-e]', '[^a-e]', '[0-9.]', '\\d', '\\w', '\\b', '(?:e|1|x)', '(a|b)?', '[a-z]{1,3}'),
);
const pieces = fc.array(piece, { maxLength: 2 }).map((list) => list.join(''));

/** Patterns with the same meaning in RE2 and JavaScript, with at most one unbounded repetition. */
const pattern = fc
  .tuple(
    fc.constantFrom('', '^'),
    pieces,
    fc.constantFrom('', '.*', '\\d+', '[a-zA-Z]*'),
    pieces,
    fc.constantFrom('', '$'),
  )
  .map((parts) => parts.join(''))
  .filter((source) => source !== '');

function someValueFor(attribute: Attribute, operator: Operator): fc.Arbitrary<RuleCondition['value']> {
  const one = fc.constantFrom<ConditionValue[]>(...ASKED[attribute]);
  switch (operator) {
    case 'exists':
    case 'not_exists':
      return fc.constant(undefined);
    case 'in':
    case 'not_in':
      return fc.array(one, { minLength: 1, maxLength: 4 });
    case 'between':
      return fc.tuple(orderable(attribute), orderable(attribute)).map((ends) => ascending(attribute, ends));
    case 'greater_than':
    case 'less_than':
    case 'greater_equal':
    case 'less_equal':
      return orderable(attribute);
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with':
      return ATTRIBUTES[attribute].type === 'version' ? one : fc.oneof(one, fragment(attribute));
    case 'regex':
      return pattern;
    case 'ip_range':
      return fc.constantFrom(...ADDRESS_RANGES);
    default:
      return one;
  }
}

/** Returns the beginning, the end or the middle of a visitor's text. */
function fragment(attribute: Attribute): fc.Arbitrary<string> {
  const whole = fc.constantFrom(...ASKED[attribute]).map(String);
  return fc
    .tuple(whole, fc.constantFrom(0, 0, 1, 4), fc.integer({ min: 1, max: 4 }))
    .map(([text, from, length]) => text.slice(Math.min(from, text.length - 1), from + length) || text);
}

function orderable(attribute: Attribute): fc.Arbitrary<ConditionValue> {
  return fc.constantFrom(...ASKED[attribute].filter((value) => /^-?[\d.]+$/.test(String(value))));
}

/** Ranges that wrap stay unchanged. */
function ascending(attribute: Attribute, ends: readonly ConditionValue[]) {
  const { type } = ATTRIBUTES[attribute];
  if (type === 'number') return ends;
  if (type === 'version') return ends.toSorted((one, other) => orderOfVersions(String(one), String(other)));
  return ends.toSorted((one, other) => Number(one) - Number(other));
}

const someParam = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PARAMS) },
  fc.constantFrom(...RARE_PARAMS),
);

const someTimeZone = fc.constantFrom(undefined, ...TIME_ZONES);

function someConditionOf(attribute: Attribute, operator: Operator): fc.Arbitrary<RuleCondition> {
  return fc
    .record({ value: someValueFor(attribute, operator), param: someParam, timezone: someTimeZone })
    .map(({ value, param, timezone }) => ({
      attribute,
      operator,
      ...(value !== undefined && { value }),
      ...(attribute === 'query_param' && { param }),
      ...(isClockAttribute(attribute) && timezone !== undefined && { timezone }),
    }));
}

/** Any condition of each attribute and operator. */
export const CONDITIONS_BY_KIND = (Object.keys(ATTRIBUTES) as Attribute[]).flatMap((attribute) =>
  ATTRIBUTES[attribute].operators.map((operator: Operator) => ({
    attribute,
    operator,
    condition: someConditionOf(attribute, operator),
  })),
);

/** Fewer patterns than other kinds, because compiling them takes most of a test's time. */
function anyOf(kinds: typeof CONDITIONS_BY_KIND): fc.Arbitrary<RuleCondition> {
  return fc.oneof(
    ...kinds.map(({ operator, condition }) => ({
      weight: operator === 'regex' ? 1 : 4,
      arbitrary: condition,
    })),
  );
}

const unrelated = anyOf(CONDITIONS_BY_KIND);

/** Attributes with several texts per visitor, whose conditions are easy to combine wrongly. */
const MORE_OFTEN = ['query_param', 'language', 'referrer_domain'] as const;

const related = [...(Object.keys(ATTRIBUTES) as Attribute[]), ...MORE_OFTEN, ...MORE_OFTEN].map((attribute) =>
  anyOf(CONDITIONS_BY_KIND.filter((kind) => kind.attribute === attribute)),
);

/** Conditions of a rule: of any kind, or all on one attribute. */
export function someConditions(minLength: number, maxLength: number): fc.Arbitrary<RuleCondition[]> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(unrelated, { minLength, maxLength }) },
    { weight: 1, arbitrary: fc.oneof(...related.map((one) => fc.array(one, { minLength, maxLength }))) },
  );
}
