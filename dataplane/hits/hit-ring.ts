import { clearHitSlot, createHitSlot, type HitSlot } from './hit-slot.js';

/** A bounded first-in-first-out buffer of slots that are used again and again. */
export interface HitRing {
  /** Slots in use. */
  readonly size: number;
  /** The next free slot, from now on in use; undefined when all are, and after `close`. */
  claim(): HitSlot | undefined;
  /** The slot in use at `index`, 0 being the oldest. */
  at(index: number): HitSlot;
  /** Empties and frees the `count` oldest slots. */
  release(count: number): void;
  /** Gives out no more slots. */
  close(): void;
}

/** A ring of at most `capacity` slots, each made when it is first needed. */
export function createHitRing(capacity: number): HitRing {
  const slots: HitSlot[] = [];
  let oldest = 0;
  let size = 0;
  let limit = capacity;

  const slotAt = (index: number): HitSlot => {
    const position = (oldest + index) % capacity;
    let slot = slots[position];
    if (slot === undefined) {
      slot = createHitSlot();
      slots[position] = slot;
    }
    return slot;
  };

  return {
    get size() {
      return size;
    },
    claim() {
      if (size >= limit) return undefined;
      size += 1;
      return slotAt(size - 1);
    },
    at: slotAt,
    release(count) {
      for (let index = 0; index < count; index += 1) clearHitSlot(slotAt(index));
      oldest = (oldest + count) % capacity;
      size -= count;
    },
    close() {
      limit = 0;
    },
  };
}
