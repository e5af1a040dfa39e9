import path from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { KafkaConnection } from '../../shared/hits/kafka-client-options.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import { createHitWriter } from './hit-writer.js';
import { registerHitWriterMetrics } from './hit-writer-metrics.js';
import { createIngest, type Ingest, type IngestOptions } from './ingest.js';
import { registerIngestMetrics } from './ingest-metrics.js';
import { createDeadLetters } from './kafka-dead-letters.js';
import { createProducerGaps } from './producer-gaps.js';
import { createHitsByProducer } from './producer-hits.js';
import { createRejectedBatches } from './rejected-batches.js';

interface IntakeDeps {
  /** Belongs to the caller and is not closed here. */
  readonly store: AnalyticsStore;
  readonly metrics: Registry;
  readonly logger: Logger;
  /** Called with the redirects whose hits were stored just now. */
  readonly onStored?: (redirectIds: readonly string[]) => void;
}

/** Takes hits from data planes that hand them over themselves; what cannot be stored goes to a folder. */
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

/** Options of the intake. Optional ones have the product's defaults. */
export interface KafkaIntakeOptions
  extends IntakeDeps,
    KafkaConnection,
    Pick<IngestOptions, 'topic' | 'groupId' | 'sessionTimeoutMs'> {
  /** Place for batches that cannot be stored. */
  readonly deadTopic?: string;
}

/** Takes hits from Kafka; what cannot be stored goes to the topic of dead letters. */
export function createKafkaIntake({
  store,
  metrics,
  deadTopic,
  onStored,
  ...options
}: KafkaIntakeOptions): Ingest {
  const { topic, groupId, sessionTimeoutMs, logger, ...connection } = options;
  const deadLetters = createDeadLetters({
    ...connection,
    logger,
    ...(deadTopic !== undefined && { topic: deadTopic }),
  });
  const gaps = createProducerGaps();
  const hits = createHitsByProducer();
  const writer = createHitWriter({
    store,
    rejected: deadLetters,
    logger,
    onStored,
    onSettled(batch, outcome) {
      gaps.note(batch);
      hits.note(batch, outcome);
    },
  });
  const ingest = createIngest({ ...options, writer, onAssigned: gaps.beginAnew });
  registerHitWriterMetrics(metrics, writer.stats, hits);
  registerIngestMetrics(metrics, ingest.stats, gaps.lost);
  return {
    ...ingest,
    async stop() {
      await ingest.stop();
      await deadLetters.close();
    },
  };
}
