import { LRUCache } from 'lru-cache';

/** Maximum number of producers whose position is kept. Each run of a data plane is a producer. */
const MAX_PRODUCERS = 10_000;
/**
 * Maximum number of missing batches of one producer that may still arrive. The oldest batches beyond it remain counted
 * as lost.
 */
const MAX_AWAITED = 1_000;

/** Batches that are missing although later ones of their producer arrived. */
export interface LostBatches {
  readonly total: number;
  /** Producers with losses. Above 10,000, those that were silent for longest are dropped here, but not from `total`. */
  readonly byProducer: ReadonlyMap<string, number>;
}

interface Place {
  highest: number;
  /** Missing numbers, which may still arrive: another process delivers the spool of a killed data plane. */
  readonly awaited: Set<number>;
}

/**
 * Detects gaps in the sequence numbers of producers. Knows only the batches that this process has read since it was
 * assigned a partition. The counters in the store show the total of missing hits (`meta.delivery`).
 */
export function createProducerGaps() {
  const places = new LRUCache<string, Place>({ max: MAX_PRODUCERS });
  const byProducer = new LRUCache<string, number>({ max: MAX_PRODUCERS });
  let total = 0;

  const count = (producerId: string, change: number) => {
    total += change;
    const lost = (byProducer.get(producerId) ?? 0) + change;
    if (lost === 0) byProducer.delete(producerId);
    else byProducer.set(producerId, lost);
  };

  const expectLate = (place: Place, from: number, to: number) => {
    for (let sequence = Math.max(from, to - MAX_AWAITED); sequence < to; sequence += 1) {
      place.awaited.add(sequence);
    }
    for (const oldest of place.awaited) {
      if (place.awaited.size <= MAX_AWAITED) return;
      place.awaited.delete(oldest);
    }
  };

  return {
    note({ producerId, sequence }: { readonly producerId: string; readonly sequence: number }): void {
      const place = places.get(producerId);
      if (place === undefined) {
        places.set(producerId, { highest: sequence, awaited: new Set() });
        return;
      }
      if (sequence <= place.highest) {
        if (place.awaited.delete(sequence)) count(producerId, -1);
        return;
      }
      const next = place.highest + 1;
      if (sequence > next) {
        expectLate(place, next, sequence);
        count(producerId, sequence - next);
      }
      place.highest = sequence;
    },
    /** Forgets positions but not losses: other members may read the next batches of a producer before it returns here. */
    beginAnew: () => places.clear(),
    lost: (): LostBatches => ({ total, byProducer: new Map(byProducer.entries()) }),
  };
}
