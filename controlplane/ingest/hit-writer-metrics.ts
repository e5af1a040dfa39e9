import { Counter, Gauge, type Registry } from 'prom-client';
import type { HitWriterStats } from './hit-writer.js';
import type { HitsByProducer, ProducerHits } from './producer-hits.js';

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
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(stats()[key as keyof HitWriterStats]);
      },
    });
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
