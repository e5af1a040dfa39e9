import { Counter, type Registry } from 'prom-client';
import type { HitWriterStats } from './hit-writer.js';

const METRICS: Readonly<Record<keyof HitWriterStats, readonly [name: string, help: string]>> = {
  batchesStored: ['waymark_ingest_batches_stored_total', 'Batches of hits that were stored.'],
  hitsStored: ['waymark_ingest_hits_stored_total', 'Hits that were stored.'],
  batchesDuplicate: ['waymark_ingest_batches_duplicate_total', 'Batches that had been stored before.'],
  batchesRejected: ['waymark_ingest_batches_rejected_total', 'Batches that can never be stored, put aside.'],
  failures: ['waymark_ingest_failures_total', 'Attempts that failed and are repeated.'],
};

/** Shows the writer's totals to Prometheus, read at the moment it asks. */
export function registerHitWriterMetrics(registry: Registry, stats: () => HitWriterStats): void {
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
}
