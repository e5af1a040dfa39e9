import { LRUCache } from 'lru-cache';

/** Producers whose place is remembered; one is a run of one data plane. */
const MAX_PRODUCERS = 10_000;
/** Missing batches of one producer that may still come; beyond it the oldest stay counted as lost. */
const MAX_AWAITED = 1_000;

/** Batches that did not come though later ones of their producer did. */
export interface LostBatches {
  readonly total: number;
  /** Producers with losses; those not heard of for longest are dropped at 10,000, from here and not from `total`. */
  readonly byProducer: ReadonlyMap<string, number>;
}

/**
 * Sees gaps in the sequence numbers of producers. It knows what has passed here since this process began to read a
 * partition; what is missing of all hits ever is told by the counters in the store (`meta.delivery`).
 */
export interface ProducerGaps {
  note(batch: { readonly producerId: string; readonly sequence: number }): void;
  /** Forgets places, not losses: others may read the next batches of a producer before they come here again. */
  beginAnew(): void;
  lost(): LostBatches;
}

interface Place {
  highest: number;
  /** Numbers left out, which may still come: what a killed data plane had spooled is sent by another. */
  readonly awaited: Set<number>;
}

export function createProducerGaps(): ProducerGaps {
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
    note({ producerId, sequence }) {
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
    beginAnew: () => places.clear(),
    lost: () => ({ total, byProducer: new Map(byProducer.entries()) }),
  };
}
