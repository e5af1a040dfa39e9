import type { VisitorTest } from '../condition-test.js';
import type { RuleSlots } from './slot.js';
import type { IndexedSlot, SlotIndex } from './slot-index.js';

/** The prepared conditions of rules, without their targets. */
export interface RulePlan {
  readonly index: SlotIndex;
  /** Each slot's rule, as an index. */
  readonly ruleOfSlot: readonly number[];
  /** Each slot's test; undefined when no slot has one. */
  readonly tests: readonly (VisitorTest | undefined)[] | undefined;
}

/** @param indexOf makes the index of the slots */
export function planOf(
  { slots, ruleOfSlot }: RuleSlots,
  indexOf: (slots: readonly IndexedSlot[]) => SlotIndex,
): RulePlan {
  const hasTests = slots.some(({ test }) => test !== undefined);
  return { index: indexOf(slots), ruleOfSlot, tests: hasTests ? slots.map(({ test }) => test) : undefined };
}
