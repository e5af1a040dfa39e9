import path from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import { createHitWriter } from './hit-writer.js';
import { createHitsByProducer, registerHitWriterMetrics } from './hit-writer-metrics.js';
import { createRejectedBatches } from './rejected-batches.js';

export interface IntakeDeps {
  /** Owned by the caller, which closes it. */
  readonly store: AnalyticsStore;
  readonly metrics: Registry;
  readonly logger: Logger;
  /** Called with the redirects whose hits were just stored. */
  readonly onStored?: (redirectIds: readonly string[]) => void;
}

/** Takes hits directly from data planes of this process. Batches that cannot be stored go to a folder. */
export function createDirectIntake({
  store,
  metrics,
  logger,
  dataDir,
  onStored,
}: IntakeDeps & { readonly dataDir: string }): HitSink {
  const rejected = createRejectedBatches(path.join(dataDir, 'hits', 'rejected'));
  const hits = createHitsByProducer();
  const writer = createHitWriter({ store, rejected, logger, onSettled: hits.note, onStored });
  registerHitWriterMetrics(metrics, writer.stats, hits);
  return {
    async deliver(encoded) {
      await writer.write(encoded);
    },
  };
}
