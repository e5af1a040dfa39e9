import { type Choice, compileChoice } from './choice/compile-choice.js';
import { type ConditionTest, compileCondition } from './condition-test.js';
import { lookupsIn } from './index/find-lookups.js';
import { rememberTests, type Turn } from './index/remembered-test.js';
import { type SlotCompiler, slotsOf } from './index/slot.js';
import { type IndexedSlot, SlotIndex } from './index/slot-index.js';
import type { RegexGuard } from './regex-guard.js';
import type { RuleDefinition } from './rule-definition.js';
import type { RuleMatcher, RuleOutcome } from './rule-matcher.js';
import type { Visitor } from './visitor.js';

/** One way in which a rule can come to match, and what then happens. */
interface MatcherSlot extends IndexedSlot {
  readonly test: ConditionTest | undefined;
  readonly choice: Choice;
}

/**
 * Prepares the active rules of one redirect, first in priority first, for deciding. Never throws; a rule that cannot
 * be compiled never matches.
 *
 * @param guard keeps their regexes within their time
 */
export function compileRules(rules: readonly RuleDefinition[], guard: RegexGuard): RuleMatcher {
  const turn: Turn = { number: 0 };
  const compiler = slotCompiler(rules, guard, turn);
  const outcomes: RuleOutcome[] = [];
  const slots: MatcherSlot[] = [];
  for (const rule of rules) {
    const choice = compileChoice(rule, outcomes.length);
    outcomes.push(...choice.outcomes);
    const { startMs, endMs } = rule;
    for (const slot of slotsOf(rule, compiler)) slots.push({ ...slot, startMs, endMs, choice });
  }
  return new IndexedMatcher(outcomes, slots, turn);
}

function slotCompiler(rules: readonly RuleDefinition[], guard: RegexGuard, turn: Turn): SlotCompiler {
  const allowance = guard.allowance();
  return {
    lookupOf: lookupsIn(rules),
    testOf: rememberTests((condition) => compileCondition(condition, allowance), turn),
  };
}

class IndexedMatcher implements RuleMatcher {
  readonly outcomes: readonly RuleOutcome[];
  private readonly tests: readonly (ConditionTest | undefined)[];
  private readonly choices: readonly Choice[];
  private readonly index: SlotIndex;
  private readonly turn: Turn;

  constructor(outcomes: readonly RuleOutcome[], slots: readonly MatcherSlot[], turn: Turn) {
    this.outcomes = outcomes;
    this.tests = slots.map(({ test }) => test);
    this.choices = slots.map(({ choice }) => choice);
    this.index = new SlotIndex(slots);
    this.turn = turn;
  }

  decide(visitor: Visitor): RuleOutcome | undefined {
    this.turn.number += 1;
    const candidates = this.index.find(visitor);
    for (let slot = candidates.firstFrom(0); slot !== -1; slot = candidates.firstFrom(slot + 1)) {
      const test = this.tests[slot];
      if (test === undefined || test.matches(visitor)) return this.choices[slot]?.choose(visitor);
    }
    return undefined;
  }
}
