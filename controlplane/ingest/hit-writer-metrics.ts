import { LRUCache } from 'lru-cache';
import { Gauge, type Registry } from 'prom-client';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import { addCounter } from '../../shared/process/metrics.js';
import type { HitWriterStats, WriteOutcome } from './hit-writer.js';

/** Maximum number of producers that are kept. The oldest are dropped first. */
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

const METRICS: Readonly<Record<keyof HitWriterStats, readonly [name: string, help: string]>> = {
  batchesStored: ['waymark_ingest_batches_stored_total', 'Batches of hits that were stored.'],
  hitsStored: ['waymark_ingest_hits_stored_total', 'Hits that were stored.'],
  batchesDuplicate: ['waymark_ingest_batches_duplicate_total', 'Batches that had been stored before.'],
  batchesRejected: ['waymark_ingest_batches_rejected_total', 'Batches that can never be stored, put aside.'],
  failures: ['waymark_ingest_failures_total', 'Attempts that failed and are repeated.'],
};

const OF_PRODUCER: Readonly<Record<keyof ProducerHits, readonly [name: string, help: string]>> = {
  stored: ['waymark_ingest_producer_stored_hits', 'Hits of one producer that were stored here'],
  repeated: ['waymark_ingest_producer_repeated_hits', 'Hits of one producer that had been stored before'],
};

/** Exports the writer's totals and those of each producer to Prometheus. */
export function registerHitWriterMetrics(
  registry: Registry,
  stats: () => HitWriterStats,
  byProducer: Pick<HitsByProducer, 'entries'>,
): void {
  for (const [key, [name, help]] of Object.entries(METRICS)) {
    addCounter(registry, name, help, () => stats()[key as keyof HitWriterStats]);
  }
  for (const [key, [name, help]] of Object.entries(OF_PRODUCER)) {
    // Gauges, because a producer that returns after it was forgotten starts at zero.
    new Gauge({
      name,
      help: `${help}, for the 64 heard of last.`,
      labelNames: ['producer'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [producer, hits] of byProducer.entries())
          this.set({ producer }, hits[key as keyof ProducerHits]);
      },
    });
  }
}
