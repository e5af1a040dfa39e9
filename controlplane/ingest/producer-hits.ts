import { LRUCache } from 'lru-cache';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import type { WriteOutcome } from './hit-writer.js';

/** Maximum number of producers that are kept, the latest ones. */
const MAX_PRODUCERS = 64;

/** Outcome of one producer's hits since this process first received some. */
export interface ProducerHits {
  /** Hits that were added to the store. */
  readonly stored: number;
  /** Hits that were sent again and found in the store. */
  readonly repeated: number;
}

/** Outcome of each producer's hits at this ingester. The store shows the hits of other writers. */
export interface HitsByProducer {
  note(batch: Pick<HitBatch, 'producerId' | 'hitCount'>, outcome: WriteOutcome): void;
  /** Returns the hits by producer id. */
  entries(): IterableIterator<[string, ProducerHits]>;
}

export function createHitsByProducer(): HitsByProducer {
  const producers = new LRUCache<string, ProducerHits>({ max: MAX_PRODUCERS });
  return {
    note({ producerId, hitCount }, outcome) {
      if (outcome.status === 'rejected') return;
      const { stored, repeated } = producers.get(producerId) ?? { stored: 0, repeated: 0 };
      const added = outcome.status === 'stored' ? outcome.hits : 0;
      producers.set(producerId, { stored: stored + added, repeated: repeated + hitCount - added });
    },
    entries: () => producers.entries(),
  };
}
