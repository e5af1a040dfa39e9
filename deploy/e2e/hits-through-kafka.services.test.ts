import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAnalyticsRepository } from '../../controlplane/areas/analytics/analytics-repository.js';
import { createKafkaIntake } from '../../controlplane/ingest/kafka-intake.js';
import {
  createTestStore,
  type TestStore,
} from '../../controlplane/storage/clickhouse/analytics-store.fixture.js';
import { newRecorder, recordHits } from '../../dataplane/hits/hit-recorder.fixture.js';
import { createKafkaSink } from '../../dataplane/hits/kafka-sink.js';
import { type KafkaBroker, kafkaLibs, startKafkaBroker } from '../../shared/process/kafka-broker.fixture.js';

const REDIRECT = 'rd_kafka';
const logger = pino({ level: 'silent' });

describe.skipIf(kafkaLibs === undefined)('hits on their whole way', { timeout: 150_000 }, () => {
  let broker: KafkaBroker;
  let test: TestStore;
  beforeAll(async () => {
    [broker, test] = await Promise.all([startKafkaBroker(), createTestStore()]);
  });
  afterAll(() => Promise.all([broker.remove(), test.remove()]));

  it('are stored exactly once although Kafka is killed, and the delivery figures agree', async () => {
    const topic = `test-${randomUUID()}`;
    const brokers = [broker.address];
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-through-kafka-'));
    const sink = createKafkaSink({ brokers, topic, partitions: 3, logger });
    const recorder = newRecorder({ sink, dataDir, flushIntervalMs: 500 });
    const ingest = createKafkaIntake({
      brokers,
      topic,
      deadTopic: `${topic}-dead`,
      groupId: topic,
      sessionTimeoutMs: 6_000,
      store: test.store,
      metrics: new Registry(),
      logger,
    });
    onTestFinished(async () => {
      await Promise.all([ingest.stop(), recorder.stop()]);
      await sink.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    recorder.start();
    ingest.start();
    const delivery = () => createAnalyticsRepository(test.store).delivery(REDIRECT);
    const untilStored = (hits: number) =>
      vi.waitFor(async () => expect((await delivery()).delivered).toBeGreaterThanOrEqual(hits), {
        timeout: 60_000,
        interval: 100,
      });

    let recorded = 0;
    const stream = setInterval(() => {
      recorded += recordHits(recorder, REDIRECT, 10);
    }, 10);
    onTestFinished(() => clearInterval(stream));
    await untilStored(500);
    await broker.kill();
    await vi.waitFor(() => expect(recorder.stats().spooled).toBeGreaterThan(2_000), { timeout: 60_000 });
    await broker.restart();
    await untilStored(recorded);
    clearInterval(stream);
    await untilStored(recorded);
    expect(await delivery()).toEqual({ recorded, delivered: recorded, duplicated: 0, lost: 0 });
    expect(recorder.stats()).toMatchObject({ recorded, delivered: recorded, dropped: 0 });
  });
});
