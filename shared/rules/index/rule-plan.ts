import type { VisitorTest } from '../condition-test.js';
import type { RuleClauses } from './clause.js';
import type { ClauseIndex, IndexedClause } from './clause-index.js';

/** The prepared conditions of rules, without their targets. */
export interface RulePlan {
  readonly index: ClauseIndex;
  /** Each clause's rule, as an index. */
  readonly ruleOfClause: readonly number[];
  /** Each clause's test; undefined when no clause has one. */
  readonly tests: readonly (VisitorTest | undefined)[] | undefined;
}

/** @param indexOf makes the index of the clauses */
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
