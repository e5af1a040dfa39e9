import type { Attribute } from './attributes.js';
import { type Choice, compileChoice } from './choice/compile-choice.js';
import { compileCondition, type VisitorTest } from './condition-test.js';
import { DecisionWork } from './decision-work.js';
import { lookupsIn } from './index/find-lookups.js';
import { type CompileCondition, rememberTests } from './index/remembered-test.js';
import { type SlotCompiler, slotsOf } from './index/slot.js';
import { createSlotIndex, type IndexedSlot, type SlotIndex } from './index/slot-index.js';
import type { RedirectAllowances, RegexAllowance } from './regex-guard.js';
import type { RuleDefinition } from './rule-definition.js';
import type { RuleMatcher, RuleOutcome } from './rule-matcher.js';
import type { Visitor } from './visitor.js';

/** One way in which a rule can come to match, and what then happens. */
interface MatcherSlot extends IndexedSlot {
  readonly test: VisitorTest | undefined;
  readonly choice: Choice;
}

/**
 * Prepares the active rules of one redirect, first in priority first, for deciding. Never throws; a rule that cannot
 * be compiled never matches.
 *
 * @param allowances keep their tests within their time
 */
export function compileRules(rules: readonly RuleDefinition[], allowances: RedirectAllowances): RuleMatcher {
  const work = new DecisionWork(allowances);
  const compiler = slotCompiler(rules, allowances, work);
  const outcomes: RuleOutcome[] = [];
  const slots: MatcherSlot[] = [];
  for (const rule of rules) {
    const choice = compileChoice(rule, outcomes.length);
    outcomes.push(...choice.outcomes);
    const { startMs, endMs } = rule;
    for (const slot of slotsOf(rule, compiler)) slots.push({ ...slot, startMs, endMs, choice });
  }
  // A copy has no room to spare, as an array that has grown has.
  return new IndexedMatcher(outcomes.slice(), slots, work);
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

const NO_TESTS: readonly undefined[] = [];

/** What `Candidates.firstFrom` gives when no slot is left. */
const NO_SLOT = -1;

class IndexedMatcher implements RuleMatcher {
  readonly outcomes: readonly RuleOutcome[];
  private readonly tests: readonly (VisitorTest | undefined)[];
  private readonly choices: readonly Choice[];
  private readonly index: SlotIndex;
  private readonly work: DecisionWork;

  constructor(outcomes: readonly RuleOutcome[], slots: readonly MatcherSlot[], work: DecisionWork) {
    this.outcomes = outcomes;
    this.tests = slots.some(({ test }) => test !== undefined) ? slots.map(({ test }) => test) : NO_TESTS;
    this.choices = slots.map(({ choice }) => choice);
    this.index = createSlotIndex(slots);
    this.work = work;
  }

  get givenUpOn(): Attribute | undefined {
    return this.work.exceededBy;
  }

  decide(visitor: Visitor): RuleOutcome | undefined {
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
