import type { VisitorTest } from '../condition-test.js';
import type { RuleClauses } from './clause.js';
import type { ClauseIndex, IndexedClause } from './clause-index.js';

/** The prepared conditions of rules, without their targets. */
export interface RulePlan {
  readonly index: ClauseIndex;
  /** Index of the rule of each clause. */
  readonly ruleOfClause: readonly number[];
  /** Test of each clause; undefined if no clause has one. */
  readonly tests: readonly (VisitorTest | undefined)[] | undefined;
}

/** @param indexOf creates the index of the clauses */
export function planOf(
  { clauses, ruleOfClause }: RuleClauses,
  indexOf: (clauses: readonly IndexedClause[]) => ClauseIndex,
): RulePlan {
  const hasTests = clauses.some(({ test }) => test !== undefined);
  return {
    index: indexOf(clauses),
    ruleOfClause,
    tests: hasTests ? clauses.map(({ test }) => test) : undefined,
  };
}
