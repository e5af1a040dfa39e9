import { describe, expect, it } from 'vitest';
import { ATTRIBUTES, type Attribute } from './attributes.js';
import { compileCondition } from './condition-test.js';
import { conditionOf, PARAM, type Possession, visitorWith } from './conditions/condition-case.fixture.js';
import { CONDITION_CASES } from './conditions/condition-cases.fixture.js';
import { parseCondition } from './parse-condition.js';
import { createRegexGuard } from './regex-guard.js';
import type { RuleCondition } from './rule-definition.js';
import { createTestVisitor } from './visitor.fixture.js';

/** With all the time in the world. */
const allowance = createRegexGuard({ nowMs: () => 0 }).allowance();

const compiled = (condition: RuleCondition) => compileCondition(condition, allowance)!;

const ALLOWED_PAIRS = (Object.keys(ATTRIBUTES) as Attribute[]).flatMap((attribute) =>
  ATTRIBUTES[attribute].operators.map((operator) => `${attribute} ${operator}`),
);

it('is tested below for every attribute with every operator that it takes', () => {
  const tested = CONDITION_CASES.map(([attribute, operator]) => `${attribute} ${operator}`);
  expect(tested.toSorted()).toEqual(ALLOWED_PAIRS.toSorted());
});

describe.each(CONDITION_CASES)('%s %s %j', (attribute, operator, value, satisfiedBy, notBy) => {
  const condition = conditionOf(attribute, operator, value);

  it('is accepted as it is', () => {
    expect(parseCondition(condition)).toEqual({ ok: true, condition });
  });

  it('is satisfied by those who fit, and by no others', () => {
    const isSatisfied = (possession: Possession) =>
      compiled(condition).matches(visitorWith(attribute, possession));
    expect(satisfiedBy.filter((possession) => !isSatisfied(possession))).toEqual([]);
    expect(notBy.filter(isSatisfied)).toEqual([]);
  });
});

const OF_WHAT_CAN_BE_MISSING = CONDITION_CASES.filter(([, , , , , byNobody]) => byNobody !== undefined);

it.each(OF_WHAT_CAN_BE_MISSING)('%s %s %j, of somebody without it, is as its negation says', (...row) => {
  const [attribute, operator, value, , , byNobody] = row;
  const test = compiled(conditionOf(attribute, operator, value));
  expect(test.matches(createTestVisitor())).toBe(byNobody);
});

describe('a compiled condition', () => {
  it.each<{ what: string; condition: RuleCondition; path: string; matches: boolean }>([
    {
      what: 'a raw path',
      condition: conditionOf('url_path', 'equals', '/über uns'),
      path: '/%C3%BCber%20uns',
      matches: true,
    },
    {
      what: 'an encoded path',
      condition: conditionOf('url_path', 'starts_with', '/%C3%BC'),
      path: '/%C3%BCber',
      matches: true,
    },
    {
      what: 'an escape spelled in another case',
      condition: conditionOf('url_path', 'equals', '/%c3%bc'),
      path: '/%C3%BC',
      matches: true,
    },
    {
      what: 'a beginning that ends within an escape',
      condition: conditionOf('url_path', 'starts_with', '/%c'),
      path: '/%C3%BC',
      matches: true,
    },
    {
      what: 'an escape of another byte',
      condition: conditionOf('url_path', 'equals', '/%c3%bd'),
      path: '/%C3%BC',
      matches: false,
    },
    {
      what: 'a pattern, which is left alone',
      condition: conditionOf('url_path', 'regex', '/ü'),
      path: '/%C3%BC',
      matches: false,
    },
  ])('compares $what with the path as it is on the wire', ({ condition, path, matches }) => {
    expect(compiled(condition).matches(createTestVisitor({ urlPath: path }))).toBe(matches);
  });

  it.each(['hour_of_day', 'day_of_week'] as const)(
    'takes a %s range that does not wrap as it is',
    (attribute) => {
      const condition = conditionOf(attribute, 'between', [2, 4]);
      const matching = [0, 1, 2, 3, 4, 5, 6].filter((unit) =>
        compiled(condition).matches(visitorWith(attribute, unit)),
      );
      expect(matching).toEqual([2, 3, 4]);
    },
  );

  it('takes the names of query parameters exactly', () => {
    const visitor = createTestVisitor({ query: { [PARAM.toUpperCase()]: ['x'] } });
    expect(compiled(conditionOf('query_param', 'exists', undefined)).matches(visitor)).toBe(false);
  });

  it('finds the properties of objects neither as values nor as parameters', () => {
    const listed = compiled(conditionOf('region', 'in', ['Bavaria', 'Hesse']));
    expect(listed.matches(createTestVisitor({ region: '__proto__' }))).toBe(false);
    const param = compiled({ attribute: 'query_param', operator: 'exists', param: 'constructor' });
    expect(param.matches(createTestVisitor())).toBe(false);
  });

  it('stands for a thousand values', () => {
    const values = Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    const test = compiled(conditionOf('ip_address', 'in', values));
    expect(test.matches(createTestVisitor({ address: '10.0.3.231' }))).toBe(true);
    expect(test.matches(createTestVisitor({ address: '10.0.3.232' }))).toBe(false);
  });

  it('reads only its own attribute', () => {
    for (const [attribute, operator, value, [possession]] of CONDITION_CASES) {
      const visitor = visitorWith(attribute, possession ?? 'x');
      compiled(conditionOf(attribute, operator, value)).matches(visitor);
      expect(visitor.reads, attribute).toHaveLength(1);
    }
  });
});

describe('an invalid condition that has passed all checks', () => {
  it.each<{ what: string; condition: unknown }>([
    { what: 'an unknown attribute', condition: { attribute: 'shoe_size', operator: 'equals', value: '44' } },
    { what: 'an operator of other attributes', condition: conditionOf('country', 'regex', 'D') },
    { what: 'a value that is missing', condition: { attribute: 'city', operator: 'equals' } },
    {
      what: 'a value of another type',
      condition: { attribute: 'city', operator: 'equals', value: { a: 1 } },
    },
    { what: 'a list of other things', condition: { attribute: 'city', operator: 'in', value: [null] } },
    { what: 'a range that is none', condition: conditionOf('ip_address', 'ip_range', '10.0.0.0/33') },
    { what: 'a parameter without a name', condition: { attribute: 'query_param', operator: 'exists' } },
    { what: 'a pattern that does not compile', condition: conditionOf('city', 'regex', '(') },
    { what: 'a pattern that is too large', condition: conditionOf('city', 'regex', '(ab){501}') },
  ])('cannot be compiled if it is $what', ({ condition }) => {
    expect(compileCondition(condition as RuleCondition, allowance)).toBeUndefined();
  });
});
