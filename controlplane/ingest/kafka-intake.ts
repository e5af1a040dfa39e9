import { Counter, Gauge, type Registry } from 'prom-client';
import type { KafkaConnection } from '../../shared/hits/kafka-client-options.js';
import type { IntakeDeps } from './direct-intake.js';
import { createHitWriter } from './hit-writer.js';
import { createHitsByProducer, registerHitWriterMetrics } from './hit-writer-metrics.js';
import { createIngest, type Ingest, type IngestOptions, type IngestStats } from './ingest.js';
import { createDeadLetters } from './kafka-dead-letters.js';
import { createProducerGaps, type LostBatches } from './producer-gaps.js';

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

/** Maximum number of producers with losses that are shown, the latest ones. The total includes all. */
const MAX_SHOWN_PRODUCERS = 100;

type Metric = readonly [name: string, help: string, read: (stats: IngestStats) => number];

const COUNTERS: readonly Metric[] = [
  ['waymark_ingest_messages_total', 'Messages done with', (stats) => stats.messages],
  ['waymark_ingest_write_seconds_total', 'Time spent in writing to the store', (stats) => stats.writeSeconds],
  ['waymark_ingest_assignments_total', 'Times that partitions were shared out', (stats) => stats.assignments],
  ['waymark_ingest_kafka_failures_total', 'Times that Kafka could not be read', (stats) => stats.failures],
];

const GAUGES: readonly Metric[] = [
  [
    'waymark_ingest_consuming',
    '1 for a member of the consumer group whose heartbeats Kafka answers',
    (stats) => Number(stats.isConsuming),
  ],
  ['waymark_ingest_partitions', 'Partitions that are read here', (stats) => stats.partitions],
  [
    'waymark_ingest_lag_messages',
    'Messages that wait to be stored, when last asked',
    (stats) => stats.lagMessages,
  ],
  ['waymark_ingest_lag_seconds', 'Age of the message that is being stored', (stats) => stats.lagSeconds],
];

/** Exports ingest to Prometheus. The writer's counters have their own metrics. */
export function registerIngestMetrics(
  registry: Registry,
  stats: () => IngestStats,
  lost: () => LostBatches,
): void {
  const registers = [registry];
  for (const [name, help, read] of COUNTERS) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(stats()));
      },
    });
  }
  for (const [name, help, read] of GAUGES) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(stats()));
      },
    });
  }
  registerLostBatches(registry, lost);
}

/** Gauges, because a batch that arrives late is no longer lost. */
function registerLostBatches(registry: Registry, lost: () => LostBatches): void {
  const registers = [registry];
  new Gauge({
    name: 'waymark_ingest_lost_batches',
    help: 'Batches missing in the sequences of their producers',
    registers,
    collect() {
      this.set(lost().total);
    },
  });
  new Gauge({
    name: 'waymark_ingest_producer_lost_batches',
    help: 'Batches missing in the sequence of one producer, for the latest hundred with losses',
    labelNames: ['producer'],
    registers,
    collect() {
      this.reset();
      for (const [producer, batches] of [...lost().byProducer].slice(0, MAX_SHOWN_PRODUCERS)) {
        this.set({ producer }, batches);
      }
    },
  });
}
