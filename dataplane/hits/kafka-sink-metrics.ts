import { Counter, Gauge, type Registry } from 'prom-client';
import type { KafkaSinkStats } from './kafka-sink.js';

const COUNTERS: Readonly<
  Record<'sentBatches' | 'sentBytes' | 'failures', readonly [name: string, help: string]>
> = {
  sentBatches: ['waymark_kafka_sent_batches_total', 'Batches of hits that Kafka has acknowledged'],
  sentBytes: ['waymark_kafka_sent_bytes_total', 'Bytes of those batches'],
  failures: ['waymark_kafka_failures_total', 'Attempts to send a batch that failed and are repeated'],
};

/** Exports the sink's totals to Prometheus. */
export function registerKafkaSinkMetrics(registry: Registry, stats: () => KafkaSinkStats): void {
  const registers = [registry];
  for (const [key, [name, help]] of Object.entries(COUNTERS)) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(stats()[key as keyof typeof COUNTERS]);
      },
    });
  }
  new Gauge({
    name: 'waymark_kafka_batches_in_flight',
    help: 'Batches that wait for an acknowledgement',
    registers,
    collect() {
      this.set(stats().inFlight);
    },
  });
}
