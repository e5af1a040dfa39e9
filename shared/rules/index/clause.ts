import type { Visitor } from '../attributes.js';
import type { VisitorTest } from '../condition-test.js';
import type { ConditionLogic, RuleDefinition } from '../rule-definition.js';
import type { IndexedClause } from './clause-index.js';
import type { FindLookup, Lookup } from './lookup.js';
import type { CompileCondition } from './remembered-test.js';
import { allOf, anyOf } from './requirement.js';
import type { Source } from './source.js';

/** One way to match a rule: all the lookups and the test must be satisfied. */
export interface Clause extends IndexedClause {
  /** The test that remains when all lookups match. */
  readonly test: VisitorTest | undefined;
}

export interface ClauseCompiler {
  readonly lookupOf: FindLookup;
  /** Test of a condition that is not a lookup. */
  readonly testOf: CompileCondition;
}

/** The clauses of rules, in order of priority. */
export interface RuleClauses {
  readonly clauses: readonly Clause[];
  /** Index of the rule of each clause. */
  readonly ruleOfClause: readonly number[];
  /** Whether no condition was compiled as a test. Then the same rules always have the same clauses. */
  readonly areLookedUp: boolean;
}

/** Compiles the conditions of `rules`. */
export function clausesOfRules(
  rules: readonly RuleDefinition[],
  { lookupOf, testOf }: ClauseCompiler,
): RuleClauses {
  const clauses: Clause[] = [];
  const ruleOfClause: number[] = [];
  let areLookedUp = true;
  const compiler: ClauseCompiler = {
    lookupOf,
    testOf(condition) {
      areLookedUp = false;
      return testOf(condition);
    },
  };
  for (const [place, rule] of rules.entries()) {
    for (const clause of clausesOf(rule, compiler)) {
      clauses.push(clause);
      ruleOfClause.push(place);
    }
  }
  return { clauses, ruleOfClause, areLookedUp };
}

/** Returns the clauses of `rule`: none if it never matches, one if its conditions are joined by AND. */
function clausesOf(rule: RuleDefinition, compiler: ClauseCompiler): Clause[] {
  const parts = partsOf(rule, compiler);
  if (parts === undefined) return [];
  const { lookups, tests } = parts;
  const { startMs, endMs } = rule;
  if (rule.conditionLogic === 'AND' || rule.conditions.length === 0) {
    return [{ lookups, test: allTests(tests), startMs, endMs }];
  }
  const clauses: Clause[] = lookups.map((lookup) => ({ lookups: [lookup], test: undefined, startMs, endMs }));
  if (tests.length > 0) clauses.push({ lookups: [], test: anyTest(tests), startMs, endMs });
  return clauses;
}

type LookupsBySource = Map<string, [Lookup, ...Lookup[]]>;

/** Returns the conditions of a rule, with one condition per source; undefined when one cannot be compiled. */
function partsOf({ conditions, conditionLogic }: RuleDefinition, { lookupOf, testOf }: ClauseCompiler) {
  const bySource: LookupsBySource = new Map();
  const tests: VisitorTest[] = [];
  const regexes: VisitorTest[] = [];
  for (const condition of conditions) {
    const lookup = lookupOf(condition);
    if (lookup !== undefined && addLookup(bySource, lookup, conditionLogic)) continue;
    const test = testOf(condition);
    if (test === undefined) return undefined;
    (condition.operator === 'regex' ? regexes : tests).push(test);
  }
  const lookups = [...bySource.values()].map((group) => joined(group, conditionLogic));
  // Regexes cost most, so they come last.
  return { lookups, tests: [...tests, ...regexes] };
}

/** Adds `lookup`, and returns whether it was added. */
function addLookup(bySource: LookupsBySource, lookup: Lookup, logic: ConditionLogic): boolean {
  const { source } = lookup;
  const known = bySource.get(source.name);
  if (known === undefined) bySource.set(source.name, [lookup]);
  else if (canJoin(source, logic)) known.push(lookup);
  else return false;
  return true;
}

/**
 * Returns whether two lookups of the same source can be joined into one set. If a visitor has several values, one may satisfy
 * the first lookup and another the second. A single set is therefore right only for "any of them" with OR and for "all of
 * them" with AND.
 */
function canJoin({ kind }: Source, logic: ConditionLogic): boolean {
  return kind === 'one' || (kind === 'any' ? logic === 'OR' : logic === 'AND');
}

function joined(lookups: readonly [Lookup, ...Lookup[]], logic: ConditionLogic): Lookup {
  const [first] = lookups;
  if (lookups.length === 1) return first;
  const requirements = lookups.map(({ requirement }) => requirement);
  return { source: first.source, requirement: logic === 'AND' ? allOf(requirements) : anyOf(requirements) };
}

/** Returns a test that holds if all of `tests` hold; undefined if there are none. */
function allTests(tests: readonly VisitorTest[]): VisitorTest | undefined {
  return tests.length < 2 ? tests[0] : new AllTests(tests);
}

/** Returns a test that holds if one of `tests` holds; undefined if there are none. */
function anyTest(tests: readonly VisitorTest[]): VisitorTest | undefined {
  return tests.length < 2 ? tests[0] : new AnyTest(tests);
}

class AllTests implements VisitorTest {
  constructor(private readonly tests: readonly VisitorTest[]) {}

  matches(visitor: Visitor): boolean {
    for (const test of this.tests) if (!test.matches(visitor)) return false;
    return true;
  }
}

class AnyTest implements VisitorTest {
  constructor(private readonly tests: readonly VisitorTest[]) {}

  matches(visitor: Visitor): boolean {
    for (const test of this.tests) if (test.matches(visitor)) return true;
    return false;
  }
}
