import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRules } from '../compile-rules.js';
import { createPatientGuard } from '../patient-guard.fixture.js';
import { ruleOf } from '../rule.fixture.js';
import type { RuleCondition, RuleDefinition } from '../rule-definition.js';
import { createTestVisitor, type TestVisitorTraits } from '../visitor.fixture.js';
import { clausesOfRules } from './clause.js';
import type { ClauseIndex } from './clause-index.js';
import { lookupsIn } from './find-lookups.js';
import { createSharedIndexes, type SharedIndexes } from './shared-indexes.js';

const country = (value: string): RuleCondition => ({ attribute: 'country', operator: 'equals', value });
const notCountry = (value: string): RuleCondition => ({
  attribute: 'country',
  operator: 'not_equals',
  value,
});
const start = (value: string): RuleCondition => ({ attribute: 'url_path', operator: 'starts_with', value });
const query = (param: string, operator: RuleCondition['operator'], value: string): RuleCondition => ({
  attribute: 'query_param',
  operator,
  param,
  value,
});
const hour = (value: number): RuleCondition => ({ attribute: 'hour_of_day', operator: 'equals', value });
const shop: RuleCondition = { attribute: 'url_path', operator: 'contains', value: 'shop' };
const broken: RuleCondition = { attribute: 'city', operator: 'regex', value: '(' };

/** So few that equal rules come about, and rules that differ in one thing only. */
const CONDITIONS = [
  country('DE'),
  country('FR'),
  notCountry('DE'),
  start('/a'),
  start('/a/b'),
  start('/c'),
  query('q', 'equals', '1'),
  query('q', 'not_equals', '1'),
  query('r', 'equals', '1'),
  hour(1),
  shop,
  broken,
];
const VISITORS: readonly TestVisitorTraits[] = ['DE', 'FR', undefined].flatMap((from) =>
  ['/a', '/a/b/shop', '/c'].flatMap((urlPath) =>
    [{}, { q: ['1'] }, { q: ['1', '2'] }, { r: ['1'] }].map((params, at) => ({
      country: from,
      urlPath,
      query: params,
      hourOfDay: at % 2,
      nowMs: 10 * at,
    })),
  ),
);

const someTime = fc.constantFrom(undefined, 5, 15);
const someRule = fc.record({
  conditions: fc.subarray(CONDITIONS, { minLength: 1, maxLength: 2 }),
  conditionLogic: fc.constantFrom('AND' as const, 'OR' as const),
  startMs: someTime,
  endMs: someTime,
});
const someRules = fc.array(someRule, { minLength: 1, maxLength: 3 }).map((rules) =>
  rules.map(({ conditions, startMs, endMs, ...rule }, at) =>
    ruleOf(at + 1, conditions, {
      ...rule,
      ...(startMs !== undefined && { startMs }),
      ...(endMs !== undefined && { endMs }),
    }),
  ),
);

const PASSED = { matches: () => true };

function indexOf(indexes: SharedIndexes, rules: readonly RuleDefinition[]): ClauseIndex {
  const compile = () => clausesOfRules(rules, { lookupOf: lookupsIn(rules), testOf: () => PASSED });
  return indexes.planOf(rules, compile).index;
}

describe('shared indexes', () => {
  it.each([200, 1_000_000])(
    'decide as indexes of their own do, with room for names of %i characters',
    (room) => {
      const { guard, rest } = createPatientGuard();
      const indexes = createSharedIndexes(room);
      const seen = new Set<unknown>();
      let redirects = 0;
      fc.assert(
        fc.property(fc.array(someRules, { minLength: 2, maxLength: 4 }), (ofRedirects) => {
          const matchers = ofRedirects.map((rules) => ({
            own: compileRules(rules, guard),
            shared: compileRules(rules, guard, indexes),
          }));
          redirects += ofRedirects.length;
          for (const rules of ofRedirects) seen.add(indexOf(indexes, rules));
          for (const traits of VISITORS) {
            for (const { own, shared } of matchers) {
              rest();
              const visitor = createTestVisitor(traits);
              expect(shared.decide(visitor)?.ruleId).toBe(own.decide(visitor)?.ruleId);
            }
          }
        }),
        { numRuns: 500 },
      );
      if (room > 200) expect(seen.size).toBeLessThan(redirects);
    },
  );

  it('are not shared when they keep texts that are not in their names', () => {
    // Nothing begins with both, so that no prefix is in the name, which for rules with tests is that of their lookups.
    const contradiction = (length: number) => [
      ruleOf(1, [start('/a'.padEnd(length, 'a')), start('/b'.padEnd(length, 'b')), shop]),
    ];
    const indexes = createSharedIndexes();
    const long = indexOf(indexes, contradiction(600));
    expect(indexOf(indexes, contradiction(600))).not.toBe(long);
    const short = indexOf(indexes, contradiction(3));
    expect(short).not.toBe(long);
    expect(indexOf(indexes, contradiction(3))).toBe(short);
  });

  it.each([
    { name: 'without tests', tested: [] },
    { name: 'with tests', tested: [shop] },
  ])('are the same for rules $name that ask for the same and lead elsewhere', ({ tested }) => {
    const indexes = createSharedIndexes();
    const indexOfAll = (...rules: RuleDefinition[]) =>
      indexOf(
        indexes,
        rules.map((rule) => ({ ...rule, conditions: [...rule.conditions, ...tested] })),
      );
    const one = ruleOf(1, [country('DE'), start('/a')]);
    expect(indexOfAll({ ...one, id: 2, action: { type: 'redirect', url: 'https://other.example' } })).toBe(
      indexOfAll(one),
    );
    const others = [
      [ruleOf(1, [country('FR'), start('/a')])],
      [ruleOf(1, [notCountry('DE'), start('/a')])],
      [ruleOf(1, [country('DE'), start('/a')], { conditionLogic: 'OR' })],
      [ruleOf(1, [country('DE'), start('/a')], { startMs: 0 })],
      [ruleOf(1, [country('DE'), start('/a')], { endMs: 0 })],
      [ruleOf(1, [query('1', 'equals', '1')])],
      [ruleOf(1, [query('2', 'equals', '1')])],
      [ruleOf(1, [query('2', 'not_equals', '1')])],
      [ruleOf(1, [query('2', 'equals', '2')])],
    ];
    expect(new Set([[one], ...others].map((rules) => indexOfAll(...rules))).size).toBe(1 + others.length);
  });

  it('leave the tests of each redirect their own, with the time that it has for regexes', () => {
    const indexes = createSharedIndexes();
    const rules = [ruleOf(1, [country('DE'), { attribute: 'city', operator: 'regex', value: '^B' }])];
    const decide = (finds: boolean) => {
      const allowances = {
        allowance: () => ({ prepare: () => true, test: () => finds }),
        timeAllowance: () => ({ nowMs: () => 0, isSpent: () => false, spend() {} }),
      };
      return compileRules(rules, allowances, indexes).decide(
        createTestVisitor({ country: 'DE', city: 'Berlin' }),
      );
    };
    expect(decide(true)?.ruleId).toBe(1);
    expect(decide(false)).toBeUndefined();
  });
});
