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
 * Shares one index between all redirects whose rules have the same conditions in the same order, whatever their
 * targets, and shares common parts between others. Rules are often made from templates ("mobile", "in these
 * countries"). An index that ten thousand redirects share stays in the processor's caches; one index per redirect would
 * be fetched from memory for nearly every visitor.
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
 * Maximum total length of names, in characters (about four bytes each). It applies separately to plans, to indexes and
 * to the parts that indexes share.
 */
const MAX_NAMES_LENGTH = 2 ** 20;
/** Characters charged per name beside its own length. */
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
 * Returns the length of the texts that sources keep. Some of them may not be part of a name, such as those of
 * contradictory conditions. An entry with a small index and the same name must not keep them alive.
 */
function keptLengthOf(sources: Iterable<Source>): number {
  let length = 0;
  for (const { keptLength = 0 } of sources) length += keptLength;
  return length;
}
