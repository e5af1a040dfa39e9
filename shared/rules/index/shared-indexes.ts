import { LRUCache } from 'lru-cache';
import type { RuleDefinition } from '../rule-definition.js';
import type { Dimension, DimensionParts } from './dimension.js';
import { nameOfDimension, nameOfRules, nameOfSlots } from './names.js';
import { BITS } from './row-table.js';
import { planOf, type RulePlan } from './rule-plan.js';
import type { RuleSlots } from './slot.js';
import {
  createFewSlots,
  createSlotIndex,
  fewSlotsDimension,
  type IndexedSlot,
  type SlotIndex,
} from './slot-index.js';
import type { Source } from './source.js';

/**
 * Gives one index to all redirects whose rules ask visitors for the same in the same order, wherever they lead, and to
 * others what they have in common. Rules are made from templates: "mobile", "in these countries" and so on. What ten
 * thousand redirects share lies in the processor's caches; an index of its own for each would have to be fetched from
 * memory for nearly every visitor.
 */
export interface SharedIndexes {
  /**
   * The plan of rules; where it is known, their conditions are not looked at.
   *
   * @param compile gives the slots of these rules
   */
  planOf(rules: readonly RuleDefinition[], compile: () => RuleSlots): RulePlan;
}

/**
 * Of the names by which plans are remembered, again of indexes, and again of what these have in common: characters, each
 * of which stands for some four bytes.
 */
const MAX_NAMES_LENGTH = 2 ** 20;
/** What is remembered whatever the length of its name, in such characters. */
const LENGTH_PER_NAME = 250;
/** Rules with longer names have a plan of their own, as hardly anybody else asks for the same. Ten usual ones have 400. */
const MAX_NAME_LENGTH = 2 ** 14;

/** An index is only used within one decision, so that sharing it needs no more than that nothing decides meanwhile. */
export function createSharedIndexes(maxNamesLength = MAX_NAMES_LENGTH): SharedIndexes {
  // What falls out goes on serving those who have it.
  const byName = <Value extends object>() =>
    new LRUCache<string, Value>({
      maxSize: maxNamesLength,
      sizeCalculation: (_, name) => LENGTH_PER_NAME + name.length,
    });
  const plans = byName<RulePlan>();
  const indexes = byName<SlotIndex>();
  const dimensions = byName<Dimension>();

  function dimensionOf(parts: DimensionParts): Dimension {
    const name = nameOfDimension(parts);
    const known = dimensions.get(name);
    if (known !== undefined) return known;
    const dimension = fewSlotsDimension(parts);
    if (keptLengthOf([parts.source]) <= name.length) dimensions.set(name, dimension);
    return dimension;
  }

  function indexOf(slots: readonly IndexedSlot[]): SlotIndex {
    // Larger ones are few, and their names long.
    if (slots.length > BITS) return createSlotIndex(slots);
    const name = nameOfSlots(slots);
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const index = createFewSlots(slots, dimensionOf);
    if (keptLengthOf(sourcesOf(slots)) <= name.length) indexes.set(name, index);
    return index;
  }

  function planOfFew(rules: readonly RuleDefinition[], compile: () => RuleSlots): RulePlan {
    const name = nameOfRules(rules, MAX_NAME_LENGTH);
    if (name === undefined) return planOf(compile(), createSlotIndex);
    const known = plans.get(name);
    if (known !== undefined) return known;
    const compiled = compile();
    const { slots, areLookedUp } = compiled;
    // Tests are of one redirect. Nor do the slots depend on the rules alone, as long as a regex waits for being compiled.
    if (!areLookedUp || slots.length > BITS) return planOf(compiled, indexOf);
    const plan = planOf(compiled, () => createFewSlots(slots, dimensionOf));
    if (keptLengthOf(sourcesOf(slots)) <= name.length) plans.set(name, plan);
    return plan;
  }

  return {
    planOf: (rules, compile) =>
      rules.length > BITS ? planOf(compile(), createSlotIndex) : planOfFew(rules, compile),
  };
}

function sourcesOf(slots: readonly IndexedSlot[]): ReadonlySet<Source> {
  const sources = new Set<Source>();
  for (const { lookups } of slots) for (const { source } of lookups) sources.add(source);
  return sources;
}

/**
 * Of the texts that sources keep. Some may not be in a name, as those of conditions that contradict each other: who has a
 * small index of the same name is not to keep them alive.
 */
function keptLengthOf(sources: Iterable<Source>): number {
  let length = 0;
  for (const { keptLength = 0 } of sources) length += keptLength;
  return length;
}
