import type { Attribute } from './attributes.js';
import { type Choice, compileChoice } from './choice/compile-choice.js';
import { compileCondition, type VisitorTest } from './condition-test.js';
import { DecisionWork } from './decision-work.js';
import { lookupsIn } from './index/find-lookups.js';
import { type CompileCondition, rememberTests } from './index/remembered-test.js';
import { planOf } from './index/rule-plan.js';
import type { SharedIndexes } from './index/shared-indexes.js';
import { type SlotCompiler, slotsOfRules } from './index/slot.js';
import { createSlotIndex, type SlotIndex } from './index/slot-index.js';
import type { RedirectAllowances, RegexAllowance } from './regex-guard.js';
import type { RuleDefinition } from './rule-definition.js';
import type { RuleMatcher, RuleOutcome } from './rule-matcher.js';
import type { Visitor } from './visitor.js';

/**
 * Prepares the active rules of one redirect, first in priority first, for deciding. Never throws; a rule that cannot
 * be compiled never matches.
 *
 * @param allowances keep their tests within their time
 * @param indexes shared with other redirects; without it, the redirect has its own
 */
export function compileRules(
  rules: readonly RuleDefinition[],
  allowances: RedirectAllowances,
  indexes?: SharedIndexes,
): RuleMatcher {
  const { outcomes, choices } = endsOf(rules);
  const work = new DecisionWork(allowances);
  const compile = () => slotsOfRules(rules, slotCompiler(rules, allowances, work));
  const plan = indexes === undefined ? planOf(compile(), createSlotIndex) : indexes.planOf(rules, compile);
  const choiceOfSlot = plan.ruleOfSlot.map((rule) => choices[rule]);
  return plan.tests === undefined
    ? new IndexedMatcher(outcomes, choiceOfSlot, plan.index)
    : new TestingMatcher(outcomes, choiceOfSlot, plan.index, plan.tests, work);
}

function endsOf(rules: readonly RuleDefinition[]) {
  const outcomes: RuleOutcome[] = [];
  const choices: Choice[] = [];
  for (const rule of rules) {
    const choice = compileChoice(rule, outcomes.length);
    for (const outcome of choice.outcomes) outcomes.push(outcome);
    choices.push(choice);
  }
  // A copy has no room to spare, as an array that has grown has.
  return { outcomes: outcomes.slice(), choices };
}

function slotCompiler(
  rules: readonly RuleDefinition[],
  allowances: RedirectAllowances,
  work: DecisionWork,
): SlotCompiler {
  let allowance: RegexAllowance | undefined;
  const compile: CompileCondition = (condition) => {
    allowance ??= allowances.allowance();
    return compileCondition(condition, allowance, work);
  };
  return { lookupOf: lookupsIn(rules), testOf: rememberTests(compile, work) };
}

/** `Candidates.firstFrom` returns this when no slot is left. */
const NO_SLOT = -1;

/**
 * Matches rules whose conditions are all index lookups. Memory per redirect is kept small: see index/shared-indexes.ts.
 */
class IndexedMatcher implements RuleMatcher {
  constructor(
    readonly outcomes: readonly RuleOutcome[],
    protected readonly choices: readonly (Choice | undefined)[],
    protected readonly index: SlotIndex,
  ) {}

  get givenUpOn(): Attribute | undefined {
    return undefined;
  }

  decide(visitor: Visitor): RuleOutcome | undefined {
    const slot = this.index.find(visitor).firstFrom(0);
    return slot === NO_SLOT ? undefined : this.choices[slot]?.choose(visitor);
  }
}

/** Matches rules of which some also have tests. */
class TestingMatcher extends IndexedMatcher {
  constructor(
    outcomes: readonly RuleOutcome[],
    choices: readonly (Choice | undefined)[],
    index: SlotIndex,
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
    const slot = this.firstMatch(visitor);
    this.work.end();
    if (slot === NO_SLOT || this.work.exceededBy !== undefined) return undefined;
    return this.choices[slot]?.choose(visitor);
  }

  private firstMatch(visitor: Visitor): number {
    const candidates = this.index.find(visitor);
    let slot = candidates.firstFrom(0);
    while (slot !== NO_SLOT && this.tests[slot]?.matches(visitor) === false) {
      slot = candidates.firstFrom(slot + 1);
    }
    return slot;
  }
}
