import { Counter, Gauge, type Registry } from 'prom-client';
import type { IngestStats } from './ingest.js';
import type { LostBatches } from './producer-gaps.js';

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
