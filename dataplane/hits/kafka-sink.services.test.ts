import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Kafka } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import { decodeHitBatch, encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { kafkaClientOptions } from '../../shared/hits/kafka-client-options.js';
import { type KafkaBroker, kafkaLibs, startKafkaBroker } from '../../shared/process/kafka-broker.fixture.js';
import { hitIds, newRecorder, recordHits, storedOnce, untilStats } from './hit-recorder.fixture.js';
import { createKafkaSink, type KafkaSink } from './kafka-sink.js';

const logger = pino({ level: 'silent' });

describe.skipIf(kafkaLibs === undefined)('hits that are handed to Kafka', { timeout: 150_000 }, () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await startKafkaBroker();
  });
  afterAll(() => broker.remove());

  const newSink = (topic = `test-${randomUUID()}`): { sink: KafkaSink; topic: string } => {
    const sink = createKafkaSink({ brokers: [broker.address], topic, partitions: 3, logger });
    onTestFinished(() => sink.close());
    return { sink, topic };
  };

  const batchOf = (sequence: number, block: Uint8Array = new Uint8Array(0)) =>
    encodeHitBatch({
      producerId: 'p',
      sequence,
      firstOrdinal: 1,
      hitCount: block.length === 0 ? 0 : 1,
      createdAtMs: 0,
      counters: [],
      ruleCounters: [],
      block,
    });

  /** Every message of a topic, partition by partition. */
  const messagesOf = async (topic: string) => {
    const kafka = new Kafka(kafkaClientOptions({ brokers: [broker.address] }, logger));
    const admin = kafka.admin();
    await admin.connect();
    const ends = await admin.fetchTopicOffsets(topic);
    await admin.disconnect();
    const expected = ends.reduce((sum, { high }) => sum + Number(high), 0);
    const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
    const found: { key: string; partition: number; value: Buffer }[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ partition, message: { key, value } }) => {
        found.push({ key: String(key), partition, value: value ?? Buffer.alloc(0) });
      },
    });
    await vi.waitFor(() => expect(found).toHaveLength(expected), { timeout: 60_000 });
    await consumer.disconnect();
    return found;
  };

  it('are keyed by their producer, in its order', async () => {
    const { sink, topic } = newSink();
    for (const sequence of [1, 2, 3, 4]) await sink.deliver(batchOf(sequence));
    const messages = await messagesOf(topic);
    expect(messages.map(({ value }) => value)).toEqual([1, 2, 3, 4].map((n) => Buffer.from(batchOf(n))));
    expect(new Set(messages.map(({ key, partition }) => `${key} ${partition}`)).size).toBe(1);
    expect(messages[0]?.key).toBe('p');
    expect(sink.stats()).toEqual({
      sentBatches: 4,
      sentBytes: 4 * batchOf(1).length,
      failures: 0,
      inFlight: 0,
    });
  });

  it('may come in batches of the greatest size there is, also where nothing can be compressed', async () => {
    const { sink, topic } = newSink();
    await sink.deliver(batchOf(1, randomBytes(3.5 * 1024 * 1024)));
    expect(await messagesOf(topic)).toHaveLength(1);
  });

  it('are refused soon while Kafka is away, and taken by the same sink when it is back', async () => {
    const { sink } = newSink();
    await sink.deliver(batchOf(1));
    await broker.kill();
    const startedAt = Date.now();
    await expect(sink.deliver(batchOf(2))).rejects.toThrow();
    await expect(sink.deliver(batchOf(2))).rejects.toThrow();
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(sink.stats()).toMatchObject({ sentBatches: 1, failures: 2, inFlight: 0 });
    await broker.restart();
    await vi.waitFor(() => sink.deliver(batchOf(2)), { timeout: 60_000 });
  });

  it('are all there, in order, though Kafka is killed twice under a steady stream', async () => {
    const { sink, topic } = newSink();
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-kafka-sink-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const recorder = newRecorder({ sink, dataDir });
    let recorded = 0;
    const record = setInterval(() => {
      recorded += recordHits(recorder, 'rd_1', 20);
    }, 10);
    onTestFinished(() => clearInterval(record));
    recorder.start();
    for (let kills = 0; kills < 2; kills += 1) {
      const before = recorder.stats().delivered;
      await vi.waitFor(() => expect(recorder.stats().delivered).toBeGreaterThan(before + 500), {
        timeout: 60_000,
      });
      await broker.kill();
      await vi.waitFor(() => expect(recorder.stats().spooled).toBeGreaterThan(4_000), { timeout: 60_000 });
      await broker.restart();
    }
    clearInterval(record);
    await untilDelivered(recorder, recorded);

    const batches = (await messagesOf(topic)).map(({ value }) => decoded(value));
    const firsts = storedOnce(batches);
    expect(new Set(hitIds(firsts)).size).toBe(recorded);
    expect(hitIds(firsts)).toHaveLength(recorded);
    const highest = firsts.length;
    const order = [...new Set(batches.map(({ sequence }) => sequence))];
    expect(order).toEqual(Array.from({ length: highest }, (_, index) => index + 1));
  });
});

async function untilDelivered(recorder: ReturnType<typeof newRecorder>, hits: number): Promise<void> {
  await vi.waitFor(() => expect(recorder.stats().delivered).toBe(hits), { timeout: 60_000 });
  await untilStats(recorder, { delivered: hits, dropped: 0, spooled: 0 });
}

function decoded(value: Buffer): HitBatch {
  const result = decodeHitBatch(value);
  if (!result.ok) throw new Error(result.reason);
  return result.batch;
}
