import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { within } from '../../shared/async/deadline.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { type KafkaBroker, kafkaLibs, startKafkaBroker } from '../../shared/process/kafka-broker.fixture.js';
import { openAnalyticsStore } from '../storage/clickhouse/client.js';
import { createTestProducer } from './hit-batch.fixture.js';
import { createTestTopic, type TestTopic } from './kafka-topic.fixture.js';

const BATCHES = 20;
const HITS = 50;
/** Time limit of each wait. Shorter than the test's timeout, so that the failure names the wait. */
const PATIENCE_MS = 40_000;

describe.skipIf(kafkaLibs === undefined)('an ingester that is killed', { timeout: 150_000 }, () => {
  let broker: KafkaBroker;
  let dataDir: string;
  beforeAll(async () => {
    broker = await startKafkaBroker();
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'waymark-ingest-'));
  });
  afterAll(async () => {
    await broker.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  const startProcess = ({ topic, groupId }: TestTopic, standStillAfter: number): ChildProcess => {
    const entry = path.join(packageRoot(), 'dist/controlplane/ingest/ingest-process.fixture.js');
    const child = fork(entry, [broker.address, topic, groupId, dataDir, String(standStillAfter)]);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    return child;
  };

  it('between insert and commit, and the one that follows, store every hit once', async () => {
    const topic = await createTestTopic(broker.address, 1);
    onTestFinished(() => topic.close());
    const producer = createTestProducer('killed');
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await topic.send([producer.batch(Array.from({ length: HITS }, () => ({})))]);
    }

    for (const standStillAfter of [7, 3]) {
      const child = startProcess(topic, standStillAfter);
      const ended = once(child, 'exit').then(([code]) => expect.fail(`the ingester ended with ${code}`));
      const stoodStill = Promise.race([once(child, 'message'), ended]);
      await within(PATIENCE_MS, `an ingester that stands still after ${standStillAfter}`, stoodStill);
      ended.catch(() => {});
      child.kill('SIGKILL');
      await within(PATIENCE_MS, 'the end of a killed ingester', once(child, 'exit'));
      expect((await topic.committed())[0]).toBeLessThan(BATCHES);
    }
    const last = startProcess(topic, 0);
    await vi.waitFor(async () => expect(await topic.committed()).toEqual([BATCHES]), {
      timeout: PATIENCE_MS,
    });
    last.kill('SIGTERM');
    expect(await within(PATIENCE_MS, 'the end of the last ingester', once(last, 'exit'))).toEqual([0, null]);
    expect(await topic.members()).toBe(0);

    const store = await openAnalyticsStore({ dataDir });
    onTestFinished(() => store.close());
    expect(await store.query('SELECT count() AS hits, uniqExact(ordinal) AS different FROM hits')).toEqual([
      { hits: BATCHES * HITS, different: BATCHES * HITS },
    ]);
  });
});
