import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { createKafkaSink } from './kafka-sink.js';
import { registerKafkaSinkMetrics } from './kafka-sink-metrics.js';

test('what a sink counts is shown as it is when it is asked for', async () => {
  // Nobody listens there.
  const sink = createKafkaSink({ brokers: ['127.0.0.1:1'], logger: pino({ level: 'silent' }) });
  onTestFinished(() => sink.close());
  const registry = new Registry();
  registerKafkaSinkMetrics(registry, sink.stats);
  const shown = async () => {
    const metrics = await registry.getMetricsAsJSON();
    return Object.fromEntries(metrics.map(({ name, values }) => [name, values[0]?.value]));
  };

  const delivery = sink.deliver(new Uint8Array(7));
  expect(await shown()).toEqual({
    waymark_kafka_sent_batches_total: 0,
    waymark_kafka_sent_bytes_total: 0,
    waymark_kafka_failures_total: 0,
    waymark_kafka_batches_in_flight: 1,
  });
  await expect(delivery).rejects.toThrow();
  expect(await shown()).toMatchObject({
    waymark_kafka_failures_total: 1,
    waymark_kafka_batches_in_flight: 0,
  });
});
