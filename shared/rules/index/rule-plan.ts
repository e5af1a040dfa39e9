import type { VisitorTest } from '../condition-test.js';
import type { RuleSlots } from './slot.js';
import type { IndexedSlot, SlotIndex } from './slot-index.js';

/** What rules ask of visitors, prepared, wherever they lead. */
export interface RulePlan {
  readonly index: SlotIndex;
  /** For each slot the place of its rule. */
  readonly ruleOfSlot: readonly number[];
  /** By slot; undefined when there is none at all. */
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
