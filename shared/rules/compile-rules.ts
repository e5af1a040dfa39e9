import type { Attribute, Visitor } from './attributes.js';
import { type Choice, compileChoice } from './choice/compile-choice.js';
import { compileCondition, type VisitorTest } from './condition-test.js';
import { DecisionWork } from './decision-work.js';
import { type ClauseCompiler, clausesOfRules } from './index/clause.js';
import { type ClauseIndex, createClauseIndex } from './index/clause-index.js';
import { lookupsIn } from './index/find-lookups.js';
import { type CompileCondition, rememberTests } from './index/remembered-test.js';
import { planOf } from './index/rule-plan.js';
import type { SharedIndexes } from './index/shared-indexes.js';
import type { RedirectAllowances, RegexAllowance } from './regex-guard.js';
import type { RuleDefinition } from './rule-definition.js';
import type { RuleMatcher, RuleOutcome } from './rule-matcher.js';

/**
 * Compiles the active rules of one redirect, in order of priority. Never throws; a rule that cannot be compiled never
 * matches.
 *
 * @param allowances limit the time of the tests
 * @param indexes shared with other redirects; without it, the redirect has its own
 */
export function compileRules(
  rules: readonly RuleDefinition[],
  allowances: RedirectAllowances,
  indexes?: SharedIndexes,
): RuleMatcher {
  const { outcomes, choices } = endsOf(rules);
  const work = new DecisionWork(allowances);
  const compile = () => clausesOfRules(rules, clauseCompiler(rules, allowances, work));
  const plan = indexes === undefined ? planOf(compile(), createClauseIndex) : indexes.planOf(rules, compile);
  const choiceOfClause = plan.ruleOfClause.map((rule) => choices[rule]);
  return plan.tests === undefined
    ? new IndexedMatcher(outcomes, choiceOfClause, plan.index)
    : new TestingMatcher(outcomes, choiceOfClause, plan.index, plan.tests, work);
}

function endsOf(rules: readonly RuleDefinition[]) {
  const outcomes: RuleOutcome[] = [];
  const choices: Choice[] = [];
  for (const rule of rules) {
    const choice = compileChoice(rule, outcomes.length);
    for (const outcome of choice.outcomes) outcomes.push(outcome);
    choices.push(choice);
  }
  // A grown array has spare capacity; a copy has none.
  return { outcomes: outcomes.slice(), choices };
}

function clauseCompiler(
  rules: readonly RuleDefinition[],
  allowances: RedirectAllowances,
  work: DecisionWork,
): ClauseCompiler {
  let allowance: RegexAllowance | undefined;
  const compile: CompileCondition = (condition) => {
    allowance ??= allowances.allowance();
    return compileCondition(condition, allowance, work);
  };
  return { lookupOf: lookupsIn(rules), testOf: rememberTests(compile, work) };
}

/** Result of `Candidates.firstFrom` if no clause is left. */
const NO_SLOT = -1;

/**
 * Matches rules whose conditions are all index lookups. Memory per redirect is kept small: see index/shared-indexes.ts.
 */
class IndexedMatcher implements RuleMatcher {
  constructor(
    readonly outcomes: readonly RuleOutcome[],
    protected readonly choices: readonly (Choice | undefined)[],
    protected readonly index: ClauseIndex,
  ) {}

  get givenUpOn(): Attribute | undefined {
    return undefined;
  }

  decide(visitor: Visitor): RuleOutcome | undefined {
    const clause = this.index.find(visitor).firstFrom(0);
    return clause === NO_SLOT ? undefined : this.choices[clause]?.choose(visitor);
  }
}

/** Matches rules some of which also have tests. */
class TestingMatcher extends IndexedMatcher {
  constructor(
    outcomes: readonly RuleOutcome[],
    choices: readonly (Choice | undefined)[],
    index: ClauseIndex,
    private readonly tests: readonly (VisitorTest | undefined)[],
    private readonly work: DecisionWork,
  ) {
    super(outcomes, choices, index);
  }

  override get givenUpOn(): Attribute | undefined {
    return this.work.exceededBy;
  }

  override decide(visitor: Visitor): RuleOutcome | undefined {
    this.work.begin();
    const clause = this.firstMatch(visitor);
    this.work.end();
    if (clause === NO_SLOT || this.work.exceededBy !== undefined) return undefined;
    return this.choices[clause]?.choose(visitor);
  }

  private firstMatch(visitor: Visitor): number {
    const candidates = this.index.find(visitor);
    let clause = candidates.firstFrom(0);
    while (clause !== NO_SLOT && this.tests[clause]?.matches(visitor) === false) {
      clause = candidates.firstFrom(clause + 1);
    }
    return clause;
  }
}
