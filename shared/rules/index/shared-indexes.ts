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
 * Of the names by which indexes are remembered and of the texts that they need for reading, and again of what they have in
 * common: characters, each of which stands for some two bytes. Ten usual conditions have 600.
 */
const MAX_LENGTH = 2 ** 21;

/** An index is only used within one decision, so that sharing it needs no more than that nothing decides meanwhile. */
export function createSharedIndexes(maxLength = MAX_LENGTH): SharedIndexes {
  // What falls out goes on serving those who have it.
  const indexes = new LRUCache<string, SlotIndex>({ maxSize: maxLength });
  const dimensions = new LRUCache<string, Dimension>({ maxSize: maxLength });

  function dimensionOf(parts: DimensionParts): Dimension {
    const { source, requirements, slotCount } = parts;
    const name = JSON.stringify([source.name, slotCount, requirements]);
    const dimension = dimensions.get(name) ?? fewSlotsDimension(parts);
    dimensions.set(name, dimension, { size: name.length + (source.keptLength ?? 0) });
    return dimension;
  }

  return {
    of(slots) {
      // Larger ones are few, and their names long.
      if (slots.length > BITS) return createSlotIndex(slots);
      const name = nameOf(slots);
      const index = indexes.get(name) ?? createFewSlots(slots, dimensionOf);
      indexes.set(name, index, { size: name.length + keptLengthOf(slots) });
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

function keptLengthOf(slots: readonly IndexedSlot[]): number {
  const sources = new Set(slots.flatMap(({ lookups }) => lookups.map(({ source }) => source)));
  let length = 0;
  for (const { keptLength = 0 } of sources) length += keptLength;
  return length;
}
