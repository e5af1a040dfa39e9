import { LRUCache } from 'lru-cache';
import type { Dimension, DimensionParts } from './dimension.js';
import { BITS } from './row-table.js';
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
  of(slots: readonly IndexedSlot[]): SlotIndex;
}

/**
 * Of the names by which indexes are remembered, and again of what they have in common: characters, each of which stands for
 * some two bytes. Ten usual conditions have 600.
 */
const MAX_NAMES_LENGTH = 2 ** 21;

/** An index is only used within one decision, so that sharing it needs no more than that nothing decides meanwhile. */
export function createSharedIndexes(maxNamesLength = MAX_NAMES_LENGTH): SharedIndexes {
  // What falls out goes on serving those who have it.
  const known = <Value extends object>() =>
    new LRUCache<string, Value>({ maxSize: maxNamesLength, sizeCalculation: (_, name) => name.length });
  const indexes = known<SlotIndex>();
  const dimensions = known<Dimension>();

  function dimensionOf(parts: DimensionParts): Dimension {
    const { source, requirements, slotCount } = parts;
    const name = JSON.stringify([source.name, slotCount, requirements]);
    if (needsMoreThanNamed([source], name)) return fewSlotsDimension(parts);
    const dimension = dimensions.get(name) ?? fewSlotsDimension(parts);
    dimensions.set(name, dimension);
    return dimension;
  }

  return {
    of(slots) {
      // Larger ones are few, and their names long.
      if (slots.length > BITS) return createSlotIndex(slots);
      const name = nameOf(slots);
      if (needsMoreThanNamed(sourcesOf(slots), name)) return createFewSlots(slots, dimensionOf);
      const index = indexes.get(name) ?? createFewSlots(slots, dimensionOf);
      indexes.set(name, index);
      return index;
    },
  };
}

/** The same for slots with equal indexes. */
function nameOf(slots: readonly IndexedSlot[]): string {
  const parts = slots.map(({ startMs, endMs, lookups }) => [
    startMs ?? null,
    endMs ?? null,
    ...lookups.map(({ source, requirement }) => [source.name, requirement]),
  ]);
  return JSON.stringify(parts);
}

function sourcesOf(slots: readonly IndexedSlot[]): ReadonlySet<Source> {
  return new Set(slots.flatMap(({ lookups }) => lookups.map(({ source }) => source)));
}

/**
 * Whether the sources keep texts that the name does not have, as of conditions that contradict each other. Who has a small
 * index of the same name is not to keep these alive.
 */
function needsMoreThanNamed(sources: Iterable<Source>, name: string): boolean {
  let length = 0;
  for (const { keptLength = 0 } of sources) length += keptLength;
  return length > name.length;
}
