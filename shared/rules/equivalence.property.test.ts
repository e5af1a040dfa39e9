import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { TEST_SEED } from '../process/test-seed.fixture.js';
import { compileRules } from './compile-rules.js';
import { compileCondition } from './condition-test.js';
import { createSharedIndexes } from './index/shared-indexes.js';
import type { NaiveOutcome } from './naive-choice.fixture.js';
import { interpretRules, isSatisfied } from './naive-interpreter.fixture.js';
import { createPatientGuard } from './patient-guard.fixture.js';
import { CONDITIONS_BY_KIND } from './random-conditions.fixture.js';
import { someRules } from './random-rules.fixture.js';
import { someVisitor } from './random-visitors.fixture.js';
import type { RuleCondition, RuleDefinition } from './rule-definition.js';
import type { RuleMatcher, RuleOutcome } from './rule-matcher.js';
import { createTestVisitor, type TestVisitorTraits } from './visitor.fixture.js';

/** Shrinking a failure of large rulesets takes long after it has shown enough. */
const RUN = { interruptAfterTimeLimit: 100_000 };

const RULESETS = 1_700;
const MIN_PAIRS = 100_000;
const MAX_VISITORS = 150;

const { guard, rest } = createPatientGuard();
const indexes = createSharedIndexes();
afterAll(() => expect(guard.skipped).toBe(0));

const someVisitors = fc.array(someVisitor, { minLength: 1, maxLength: MAX_VISITORS, size: 'max' });

function decide(matcher: RuleMatcher, visitor: TestVisitorTraits): RuleOutcome | undefined {
  rest();
  return matcher.decide(createTestVisitor(visitor));
}

/** What `matcher` decides, in the interpreter's words. */
function decided(matcher: RuleMatcher, visitor: TestVisitorTraits): NaiveOutcome | undefined {
  const outcome = decide(matcher, visitor);
  if (outcome === undefined) return undefined;
  const { ruleId, variant, target, setCookie } = outcome;
  return { ruleId, variant, target, setsCookie: setCookie !== undefined };
}

/** Much cheaper than `toEqual`, which does the telling where they differ. */
function isSame(one: NaiveOutcome | undefined, other: NaiveOutcome | undefined): boolean {
  return (
    one?.ruleId === other?.ruleId &&
    one?.variant === other?.variant &&
    one?.setsCookie === other?.setsCookie &&
    one?.target?.url === other?.target?.url &&
    one?.target?.pathForwarding === other?.target?.pathForwarding &&
    one?.target?.queryForwarding === other?.target?.queryForwarding
  );
}

function expectSame(actual: NaiveOutcome | undefined, expected: NaiveOutcome | undefined): void {
  if (!isSame(actual, expected)) expect(actual).toEqual(expected);
}

/** How often each way of ending was seen. */
function createTally() {
  const seen = { pairs: 0, none: 0, first: 0, upTo32nd: 0, later: 0, variant: 0, inside: 0, outside: 0 };
  return {
    seen,
    count(rules: readonly RuleDefinition[], outcome: NaiveOutcome | undefined) {
      seen.pairs += 1;
      if (outcome === undefined) {
        seen.none += 1;
        return;
      }
      const place = rules.findIndex(({ id }) => id === outcome.ruleId);
      seen[place === 0 ? 'first' : place < 32 ? 'upTo32nd' : 'later'] += 1;
      const { type } = rules[place]!.action;
      if (type === 'ab_test') seen.variant += 1;
      if (type === 'percentage_redirect') seen[outcome.target === undefined ? 'outside' : 'inside'] += 1;
    },
  };
}

describe('compiled rules', () => {
  it('decide what the rules say, for any rules and visitors', async ({ annotate }) => {
    const tally = createTally();
    fc.assert(
      fc.property(someRules, someVisitors, (rules, visitors) => {
        const matcher = compileRules(rules, guard, indexes);
        for (const visitor of visitors) {
          const expected = interpretRules(rules, visitor);
          tally.count(rules, expected);
          expectSame(decided(matcher, visitor), expected);
        }
      }),
      { ...RUN, numRuns: RULESETS },
    );
    const { pairs, ...shares } = tally.seen;
    await annotate(`seed ${TEST_SEED}: ${JSON.stringify(tally.seen)}`);
    expect(pairs).toBeGreaterThan(MIN_PAIRS);
    for (const [way, seen] of Object.entries(shares)) expect(seen / pairs, way).toBeGreaterThan(0.01);
  });

  it('go on as if rules that cannot be compiled were not there', () => {
    const matchesAll: RuleCondition = { attribute: 'country', operator: 'not_equals', value: 'XX' };
    const broken = fc.record({
      at: fc.nat(40),
      conditionLogic: fc.constantFrom('AND' as const, 'OR' as const),
      conditions: fc.constantFrom<readonly RuleCondition[]>(
        [{ attribute: 'city', operator: 'regex', value: '(' }],
        [matchesAll, { attribute: 'url_path', operator: 'regex', value: '(?=a)' }],
        [{ attribute: 'ip_address', operator: 'ip_range', value: '10.0.0.0/99' }, matchesAll],
        [{ attribute: 'ip_address', operator: 'ip_range', value: ['10.0.0.1', '::1'] }],
        [{ attribute: 'hour_of_day', operator: 'between', value: [3] }],
      ),
    });
    fc.assert(
      fc.property(someRules, fc.array(broken, { minLength: 1 }), someVisitors, (rules, faults, visitors) => {
        const all = [...rules];
        for (const [index, { at, ...fault }] of faults.entries()) {
          const action = { type: 'redirect', url: 'https://broken.example/' } as const;
          all.splice(at % (all.length + 1), 0, { ...fault, id: 1_000 + index, action });
        }
        const matcher = compileRules(all, guard, indexes);
        for (const visitor of visitors) expectSame(decided(matcher, visitor), interpretRules(rules, visitor));
      }),
      RUN,
    );
  });

  it('keep a visitor where the cookie says that they set, and take no other cookie for it', () => {
    let cookies = 0;
    fc.assert(
      fc.property(someRules, someVisitors, (rules, visitors) => {
        const matcher = compileRules(rules, guard, indexes);
        for (const visitor of visitors) {
          const first = decide(matcher, visitor);
          if (first?.setCookie === undefined) continue;
          cookies += 1;
          const { groups } = /^(?<name>wm_\d+)=(?<token>[\w-]+);/.exec(first.setCookie)!;
          const { name, token } = groups as { name: string; token: string };
          const again = { ...visitor, draw: () => 1 - visitor.dice, cookies: { [name]: token } };
          expect(decide(matcher, again)).toBe(matcher.outcomes[first.index]);
          const tampered = { ...visitor, cookies: { [name]: `${token}x`, [`${name}0`]: token } };
          expect(decide(matcher, tampered)).toBe(first);
        }
      }),
      RUN,
    );
    expect(cookies).toBeGreaterThan(100);
  });
});

describe('a compiled condition', () => {
  const visitorsOfEach = 40;

  it.each(CONDITIONS_BY_KIND)('holds where it should: $attribute $operator', ({ condition }) => {
    let holding = 0;
    let failing = 0;
    fc.assert(
      fc.property(
        condition,
        fc.array(someVisitor, { minLength: 1, maxLength: visitorsOfEach }),
        (one, visitors) => {
          const test = compileCondition(one, guard.allowance())!;
          for (const visitor of visitors) {
            rest();
            const expected = isSatisfied(one, visitor);
            expected ? holding++ : failing++;
            expect(test.matches(createTestVisitor(visitor))).toBe(expected);
          }
        },
      ),
      { ...RUN, numRuns: 60 },
    );
    expect({ holds: holding > 0, fails: failing > 0 }).toEqual({ holds: true, fails: true });
  });
});
