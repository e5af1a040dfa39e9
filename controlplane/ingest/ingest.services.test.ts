import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { hitBlock } from '../../shared/hits/hit-block.fixture.js';
import { type KafkaBroker, kafkaLibs, startKafkaBroker } from '../../shared/process/kafka-broker.fixture.js';
import { createAnalyticsRepository } from '../areas/analytics/analytics-repository.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../storage/clickhouse/store-error.js';
import { createTestProducer, hitRow } from './hit-batch.fixture.js';
import { createKafkaIntake } from './kafka-intake.js';
import { createTestTopic, type TestTopic } from './kafka-topic.fixture.js';

const LONG = { timeout: 60_000, interval: 50 };

describe.skipIf(kafkaLibs === undefined)('ingest', { timeout: 150_000 }, () => {
  let broker: KafkaBroker;
  let test: TestStore;
  let producers = 0;
  beforeAll(async () => {
    [broker, test] = await Promise.all([startKafkaBroker(), createTestStore()]);
  });
  afterAll(() => Promise.all([broker.remove(), test.remove()]));

  const newTopic = async (partitions = 1): Promise<TestTopic> => {
    const topic = await createTestTopic(broker.address, partitions);
    onTestFinished(() => topic.close());
    return topic;
  };

  const newProducer = () => {
    producers += 1;
    return createTestProducer(`kafka-${producers}`);
  };

  /** An ingester that runs until the test ends. */
  const startIngest = ({ topic, deadTopic, groupId }: TestTopic, store: AnalyticsStore = test.store) => {
    const metrics = new Registry();
    const ingest = createKafkaIntake({
      brokers: [broker.address],
      store,
      metrics,
      topic,
      deadTopic,
      groupId,
      sessionTimeoutMs: 6_000,
      logger: silentLogger,
    });
    ingest.start();
    onTestFinished(() => ingest.stop());
    return { ...ingest, metrics };
  };

  const ordinals = async (producerId: string) =>
    (
      await test.store.query<{ ordinal: number }>(
        'SELECT ordinal FROM hits WHERE producer_id = {producer:String} ORDER BY ordinal',
        { producer: producerId },
      )
    ).map((row) => row.ordinal);

  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it('stores each batch once though it is in the topic more than once', async () => {
    const topic = await newTopic();
    const producer = newProducer();
    const batches = upTo(5).map(() => producer.batch([{}, {}]));
    await topic.send([...batches, ...batches.slice(2), batches[0]!]);
    const ingest = startIngest(topic);
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([9]), LONG);
    expect(await ordinals(producer.producerId)).toEqual(upTo(10));
    expect(await metricOf(ingest.metrics, 'waymark_ingest_batches_stored_total')).toBe(5);
    expect(await metricOf(ingest.metrics, 'waymark_ingest_batches_duplicate_total')).toBe(4);
    expect(ingest.stats()).toMatchObject({ messages: 9, lagMessages: 0, lagSeconds: 0 });
  });

  it('does not call itself consuming while Kafka hangs, and goes on when it answers again', async () => {
    const topic = await newTopic();
    const producer = newProducer();
    const ingest = startIngest(topic);
    await expect.poll(() => ingest.stats().isConsuming).toBe(true);
    broker.pause();
    const pausedMs = performance.now();
    try {
      await expect.poll(() => ingest.stats().isConsuming).toBe(false);
      // Shorter than the requests to Kafka and their repetitions take.
      expect(performance.now() - pausedMs).toBeLessThan(15_000);
    } finally {
      broker.resume();
    }
    await expect.poll(() => ingest.stats().isConsuming).toBe(true);
    await topic.send([producer.batch([{}])]);
    await vi.waitFor(async () => expect(await ordinals(producer.producerId)).toEqual([1]), LONG);
    expect(ingest.stats().isConsuming).toBe(true);
  });

  it('puts what can never be stored into the topic for dead letters, with the reason, and goes on', async () => {
    const topic = await newTopic();
    const producer = newProducer();
    const refused = encodeHitBatch({
      producerId: producer.producerId,
      sequence: 1,
      firstOrdinal: 1,
      hitCount: 1,
      createdAtMs: 0,
      counters: [],
      ruleCounters: [],
      block: hitBlock([hitRow('another producer', 1)]),
    });
    await topic.send([Buffer.from('nonsense'), refused, producer.batch([{}])]);
    const ingest = startIngest(topic);
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([3]), LONG);
    expect(await ordinals(producer.producerId)).toEqual([1]);
    expect(await metricOf(ingest.metrics, 'waymark_ingest_batches_rejected_total')).toBe(2);
    const dead = await topic.deadLetters();
    expect(dead.map(({ value }) => value)).toEqual([Buffer.from('nonsense'), Buffer.from(refused)]);
    expect(dead.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/too short|not a batch/),
      expect.stringContaining('not of the producer'),
    ]);
  });

  it('stays with its message and in its group while the store fails for longer than a session', async () => {
    const topic = await newTopic();
    const producer = newProducer();
    let isDown = true;
    let attempts = 0;
    const store: AnalyticsStore = {
      ...test.store,
      query: (sql, params) => {
        attempts += 1;
        if (isDown) return Promise.reject(new AnalyticsStoreError('unavailable', 'it is down'));
        return test.store.query(sql, params);
      },
    };
    await topic.send([producer.batch([{}]), producer.batch([{}])]);
    const ingest = startIngest(topic, store);
    await vi.waitFor(() => expect(ingest.stats().lagSeconds).toBeGreaterThan(8), LONG);
    expect(await topic.members()).toBe(1);
    expect(ingest.stats()).toMatchObject({ messages: 0, assignments: 1, failures: 0 });
    expect(attempts).toBeLessThan(20);
    isDown = false;
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([2]), LONG);
    expect(await ordinals(producer.producerId)).toEqual([1, 2]);
    expect(ingest.stats()).toMatchObject({ assignments: 1, failures: 0 });
  });

  it('leaves the group when it is stopped, also while a write hangs', async () => {
    const topic = await newTopic();
    const store: AnalyticsStore = { ...test.store, query: () => new Promise(() => {}) };
    await topic.send([newProducer().batch([{}])]);
    const ingest = startIngest(topic, store);
    await vi.waitFor(() => expect(ingest.stats().lagSeconds).toBeGreaterThan(0), LONG);
    const startedAt = Date.now();
    await ingest.stop();
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    expect(await topic.members()).toBe(0);
    expect(await topic.committed()).toEqual([-1]);
  });

  it('shares partitions with others, who take over what one leaves', async () => {
    const topic = await newTopic(4);
    const people = upTo(4).map(newProducer);
    const sendRound = () =>
      Promise.all(people.map((producer, partition) => topic.send([producer.batch([{}, {}, {}])], partition)));
    const first = startIngest(topic);
    const second = startIngest(topic);
    await vi.waitFor(
      () => expect([first.stats().partitions, second.stats().partitions]).toEqual([2, 2]),
      LONG,
    );
    for (let round = 0; round < 10; round += 1) {
      await sendRound();
      if (round === 5) await first.stop();
    }
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([10, 10, 10, 10]), LONG);
    for (const { producerId } of people) expect(await ordinals(producerId)).toEqual(upTo(30));
    expect(second.stats().partitions).toBe(4);
    expect(await metricOf(second.metrics, 'waymark_ingest_lost_batches')).toBe(0);
  });

  it('shows which batches of a producer are missing, as the delivery figures do', async () => {
    const topic = await newTopic();
    const producer = newProducer();
    const redirect_id = `rd_${producer.producerId}`;
    const batches = upTo(6).map(() => producer.batch([{ redirect_id }, { redirect_id }]));
    await topic.send(batches.filter((_, index) => index !== 2 && index !== 3));
    const ingest = startIngest(topic);
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([4]), LONG);
    expect(await metricOf(ingest.metrics, 'waymark_ingest_lost_batches')).toBe(2);
    const delivery = createAnalyticsRepository(test.store).delivery;
    expect(await delivery(redirect_id)).toEqual({ recorded: 12, delivered: 8, duplicated: 0, lost: 4 });

    await topic.send([batches[2]!, batches[0]!]);
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([6]), LONG);
    expect(await metricOf(ingest.metrics, 'waymark_ingest_producer_lost_batches')).toBe(1);
    expect(await delivery(redirect_id)).toEqual({ recorded: 12, delivered: 10, duplicated: 0, lost: 2 });
  });

  it('begins without Kafka, and goes on where it was after Kafka was killed', async () => {
    const topic = await newTopic();
    const producer = newProducer();
    await topic.send([producer.batch([{}])]);
    await broker.kill();
    const ingest = startIngest(topic);
    await vi.waitFor(() => expect(ingest.stats().failures).toBeGreaterThan(0), LONG);
    await broker.restart();
    await vi.waitFor(() => expect(ingest.stats().messages).toBe(1), LONG);
    await broker.kill();
    await vi.waitFor(() => expect(ingest.stats().failures).toBeGreaterThan(1), LONG);
    await broker.restart();
    await topic.send([producer.batch([{}])]);
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([2]), LONG);
    expect(await ordinals(producer.producerId)).toEqual([1, 2]);
  });
});

async function metricOf(metrics: Registry, name: string): Promise<number | undefined> {
  return (await metrics.getSingleMetric(name)?.get())?.values[0]?.value;
}
