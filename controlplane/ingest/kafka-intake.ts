import type { KafkaConnection } from '../../shared/hits/kafka-client-options.js';
import type { IntakeDeps } from './direct-intake.js';
import { createHitWriter } from './hit-writer.js';
import { registerHitWriterMetrics } from './hit-writer-metrics.js';
import { createIngest, type Ingest, type IngestOptions } from './ingest.js';
import { registerIngestMetrics } from './ingest-metrics.js';
import { createDeadLetters } from './kafka-dead-letters.js';
import { createProducerGaps } from './producer-gaps.js';
import { createHitsByProducer } from './producer-hits.js';

/** Options of the intake. Optional ones default to the product's values. */
export interface KafkaIntakeOptions
  extends IntakeDeps,
    KafkaConnection,
    Pick<IngestOptions, 'topic' | 'groupId' | 'sessionTimeoutMs'> {
  /** Place for batches that cannot be stored. */
  readonly deadTopic?: string;
}

/** Takes hits from Kafka. Batches that cannot be stored go to the dead-letter topic. */
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
