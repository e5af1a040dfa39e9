import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createTestProducer,
  encodedBatch,
  type HitOptions,
  type TestProducer,
} from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';
import { readDelivery, THERE } from './delivery.js';
import { isReadFrom, makeRollUps } from './roll-ups.fixture.js';

let test: TestStore;
let redirect: string;
let producer: TestProducer;
let cases = 0;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());
beforeEach(() => {
  cases += 1;
  redirect = `rd_${cases}`;
  producer = createTestProducer(`run-${cases}`);
});

const write = (batch: Uint8Array, store: AnalyticsStore = test.store) =>
  createHitWriter({
    store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  }).write(batch);
const delivery = () => readDelivery(test.store.query, redirect);
const hits = (count: number, options: HitOptions = {}): HitOptions[] =>
  Array.from({ length: count }, () => ({ redirect_id: redirect, ...options }));
const forgetTokens = async (table: string, work: () => Promise<unknown>) => {
  await test.store.command(`ALTER TABLE ${table} MODIFY SETTING non_replicated_deduplication_window = 0`);
  await work();
  await test.store.command(`ALTER TABLE ${table} MODIFY SETTING non_replicated_deduplication_window = 10000`);
};

it('nothing was delivered of a redirect that nobody visited', async () => {
  expect(await delivery()).toEqual({ recorded: 0, delivered: 0, duplicated: 0, lost: 0 });
});

it('hits count as delivered after they have expired, and when they come again after that', async () => {
  const batch = producer.batch(hits(3, { timestamp: '2026-01-01 00:00:00.000', retention_days: 1 }));
  await write(batch);
  await write(producer.batch(hits(2)));
  await test.store.command('OPTIMIZE TABLE hits FINAL');
  const [there] = await test.store.query(THERE, { redirect });
  expect(there).toMatchObject({ rows: 2, first: 4, last: 5 });
  expect(await delivery()).toEqual({ recorded: 5, delivered: 5, duplicated: 0, lost: 0 });

  await forgetTokens('hits', () => write(batch));
  expect(await delivery()).toEqual({ recorded: 5, delivered: 5, duplicated: 0, lost: 0 });
});

it('hits of several redirects and producers are told apart, also within a batch', async () => {
  const other = createTestProducer(`${producer.producerId}-1`);
  await write(producer.batch([...hits(2), { redirect_id: `${redirect}_other` }, ...hits(1)]));
  await write(other.batch(hits(4)));
  expect(await delivery()).toEqual({ recorded: 7, delivered: 7, duplicated: 0, lost: 0 });
});

it('a batch whose counters were not stored before a crash is made up for when it comes again', async () => {
  const insertRows: AnalyticsStore['insertRows'] = async (insert) => {
    if (insert.table !== 'hits') throw new AnalyticsStoreError('unavailable', new Error('killed'));
    await test.store.insertRows(insert);
  };
  await write(producer.batch(hits(2)));
  const batch = producer.batch(hits(3));
  await expect(write(batch, { ...test.store, insertRows })).rejects.toThrow('killed');
  expect(await delivery()).toEqual({ recorded: 2, delivered: 2, duplicated: 0, lost: 0 });

  expect(await write(batch)).toEqual({ status: 'duplicate' });
  expect(await delivery()).toEqual({ recorded: 5, delivered: 5, duplicated: 0, lost: 0 });
});

it('a batch that comes again changes nothing, known to the store as a repetition or not', async () => {
  const batch = producer.batch(hits(3));
  await write(batch);
  await write(batch);
  await forgetTokens('redirect_counters', () => write(batch));
  await test.store.command('OPTIMIZE TABLE redirect_counters FINAL');
  expect(await delivery()).toEqual({ recorded: 3, delivered: 3, duplicated: 0, lost: 0 });
});

it('hits that a full buffer swallowed are lost, and so are those of a batch that has not come yet', async () => {
  producer.drop(redirect, 5);
  await write(producer.batch(hits(1)));
  const late = producer.batch(hits(2));
  await write(producer.batch(hits(4)));
  expect(await delivery()).toEqual({ recorded: 12, delivered: 5, duplicated: 0, lost: 7 });
  await write(late);
  expect(await delivery()).toEqual({ recorded: 12, delivered: 7, duplicated: 0, lost: 5 });
});

it('hits that are in the store twice are counted as a surplus', async () => {
  await write(producer.batch(hits(4)));
  await test.store.command(
    `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp)
     SELECT producer_id, ordinal, redirect_id, timestamp FROM hits
     WHERE redirect_id = {redirect:String} AND ordinal IN (2, 3)`,
    { redirect },
  );
  expect(await delivery()).toEqual({ recorded: 4, delivered: 4, duplicated: 2, lost: 0 });
});

it('hits without a counter of theirs are recorded and delivered', async () => {
  await write(encodedBatch(producer.producerId, { sequence: 1, hits: hits(2) }));
  expect(await delivery()).toEqual({ recorded: 2, delivered: 2, duplicated: 0, lost: 0 });
});

it('what is there is answered from its roll-up', async () => {
  await write(producer.batch(hits(3)));
  await makeRollUps(test, ['by_producer']);
  expect(await isReadFrom(test, 'by_producer', THERE, redirect)).toBe(true);
  expect(await delivery()).toEqual({ recorded: 3, delivered: 3, duplicated: 0, lost: 0 });
});
