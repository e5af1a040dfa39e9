import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ALL_REDIRECTS } from '../../shared/hits/all-redirects.js';
import { createTestProducer, encodedBatch, type TestProducer } from '../ingest/hit-batch.fixture.js';
import { createHitWriter, type HitWriter } from '../ingest/hit-writer.js';
import { createRejectedBatches } from '../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../storage/clickhouse/analytics-store.fixture.js';
import { readProducerAccounts } from './producer-accounts.js';

let test: TestStore;
let writer: HitWriter;
let producer: TestProducer;
let producers = 0;

beforeAll(async () => {
  test = await createTestStore();
  const rejected = createRejectedBatches(`${test.dataDir}/rejected`);
  writer = createHitWriter({ store: test.store, rejected, logger: silentLogger });
});
afterAll(() => test.remove());
beforeEach(() => {
  producers += 1;
  producer = createTestProducer(`run-${String(producers).padStart(3, '0')}`);
});

const FOUR_HITS = [{ redirect_id: 'rd_a' }, { redirect_id: 'rd_b' }, { redirect_id: 'rd_a' }, {}];

async function account() {
  const { id, seenAt, ...figures } = (await readProducerAccounts(test.store)).find(
    ({ id }) => id === producer.producerId,
  )!;
  return figures;
}

function closing(recorded: number, dropped: number): Uint8Array {
  const counters = [{ redirectId: ALL_REDIRECTS, requests: 0, recorded, dropped }];
  return encodedBatch(producer.producerId, { sequence: 99, counters });
}

it('all of a producer is counted, over all its redirects and batches', async () => {
  for (let batch = 0; batch < 3; batch += 1) await writer.write(producer.batch(FOUR_HITS));
  expect(await account()).toEqual({ recorded: 12, stored: 12, duplicated: 0, lost: 0 });
});

it('dropped hits and missing batches are lost', async () => {
  await writer.write(producer.batch(FOUR_HITS));
  producer.drop('rd_a', 3);
  producer.batch([{}]);
  await writer.write(producer.batch(FOUR_HITS));
  expect(await account()).toEqual({ recorded: 12, stored: 8, duplicated: 0, lost: 4 });
});

it('hits of a killed producer are lost once, even if they are reported twice or a batch arrives later', async () => {
  const batches = [producer.batch(FOUR_HITS), producer.batch(FOUR_HITS)];
  await writer.write(batches[0]!);
  for (let time = 0; time < 2; time += 1) await writer.write(closing(13, 2));
  expect(await account()).toEqual({ recorded: 13, stored: 4, duplicated: 0, lost: 9 });
  await writer.write(batches[1]!);
  expect(await account()).toEqual({ recorded: 13, stored: 8, duplicated: 0, lost: 5 });
});

it('a producer that was killed before it could send anything is there', async () => {
  await writer.write(closing(5, 0));
  expect(await account()).toEqual({ recorded: 5, stored: 0, duplicated: 0, lost: 5 });
});

it('repeated rows are duplicates, but a new row of a batch is not', async () => {
  await writer.write(producer.batch(FOUR_HITS));
  await test.store.command(
    `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp)
     SELECT {producer:String}, arrayJoin([2, 3, 5, 6]), 'rd_a', now64(3)`,
    { producer: producer.producerId },
  );
  expect(await account()).toEqual({ recorded: 4, stored: 4, duplicated: 2, lost: 0 });
});

it('the 64 heard of last are shown, the latest first', async () => {
  const seconds = Array.from({ length: 70 }, (_, index) => index);
  const values = seconds.map((second) => `('rd_a', 'late-${second}', 1, now() + 1000 + ${second})`);
  await test.store.command(
    `INSERT INTO redirect_counters (redirect_id, producer_id, recorded, seen_at) VALUES ${values.join()}`,
  );
  const ids = (await readProducerAccounts(test.store)).map(({ id }) => id);
  expect(ids).toEqual(
    seconds
      .slice(6)
      .reverse()
      .map((second) => `late-${second}`),
  );
});
