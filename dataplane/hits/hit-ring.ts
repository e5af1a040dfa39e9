import { clearHitSlot, createHitSlot, type HitSlot } from './hit-slot.js';

/**
 * A bounded first-in-first-out buffer of hits. A hit waits in a slot until it is taken over, and is held, that is, has
 * its share of the bound, until it is released.
 */
export interface HitRing {
  /** Hits held, those that wait included. */
  size(): number;
  /** Hits that wait in their slots. */
  waiting(): number;
  /** A free slot for one more hit, which waits from now on; undefined when all are held, and after `close`. */
  claim(): HitSlot | undefined;
  /** The slot of the hit that has waited longest; undefined when none waits. */
  oldest(): HitSlot | undefined;
  /** Empties and frees the slot of the hit that has waited longest. The hit itself stays held. */
  takeOver(): void;
  /** The `count` oldest hits are held no longer. */
  release(count: number): void;
  /** Gives out no more slots. */
  close(): void;
}

/**
 * A ring that holds at most `capacity` hits. The slot freed last is given out first: some hundred slots, which stay in
 * the processor's caches, then serve any number of hits. (Those of all 65,536 take 12 MiB.)
 */
export function createHitRing(capacity: number): HitRing {
  const free: HitSlot[] = [];
  const queue: HitSlot[] = [];
  let first = 0;
  let waiting = 0;
  let size = 0;
  let limit = capacity;

  const oldest = () => (waiting === 0 ? undefined : queue[first]);

  return {
    size: () => size,
    waiting: () => waiting,
    claim() {
      if (size >= limit) return undefined;
      const slot = free.pop() ?? createHitSlot();
      queue[(first + waiting) % capacity] = slot;
      waiting += 1;
      size += 1;
      return slot;
    },
    oldest,
    takeOver() {
      const slot = oldest();
      if (slot === undefined) return;
      clearHitSlot(slot);
      free.push(slot);
      waiting -= 1;
      first = waiting === 0 ? 0 : (first + 1) % capacity;
    },
    release(count) {
      size -= count;
    },
    close() {
      limit = 0;
    },
  };
}
