import { LRUCache } from 'lru-cache';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import type { WriteOutcome } from './hit-writer.js';

/** Producers that are remembered, those heard of last. */
const MAX_PRODUCERS = 64;

/** Outcome of one producer's hits here, since this process first received some. */
export interface ProducerHits {
  /** Added to the store. */
  readonly stored: number;
  /** Sent again, and found in the store. */
  readonly repeated: number;
}

/** Outcome of each producer's hits at this ingester. The store itself says what it holds from other writers. */
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
