import type { Registry } from 'prom-client';
import { addCounter, addGauge } from '../../shared/process/metrics.js';
import type { KafkaSinkStats } from './kafka-sink.js';

/** Exports the sink's totals to Prometheus. */
export function registerKafkaSinkMetrics(registry: Registry, stats: () => KafkaSinkStats): void {
  const add = (name: string, help: string, key: keyof KafkaSinkStats) =>
    addCounter(registry, name, help, () => stats()[key]);
  add('waymark_kafka_sent_batches_total', 'Batches of hits that Kafka has acknowledged', 'sentBatches');
  add('waymark_kafka_sent_bytes_total', 'Bytes of those batches', 'sentBytes');
  add('waymark_kafka_failures_total', 'Attempts to send a batch that failed and are repeated', 'failures');
  const inFlight = 'Batches that wait for an acknowledgement';
  addGauge(registry, 'waymark_kafka_batches_in_flight', inFlight, () => stats().inFlight);
}
