import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestProducer, type TestProducer } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter, type HitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import { makeRollUps, readsSingleHits } from '../analytics/roll-ups.fixture.js';
import { createBusyRedirects, type FindBusyRedirects, HITS_SINCE } from './busy-redirects.js';

const MARCH = new Date('2026-03-01T00:00:00.000Z');
const LIMITS = [10, 100] as const;

let test: TestStore;
let writer: HitWriter;
let producer: TestProducer;
let redirectId: string;
let nowMs = Date.parse('2026-03-20T12:00:00.000Z');
/** Ids of redirects whose hits were counted, by query. */
let counted: (readonly string[])[];
let count = 0;
let findBusy: FindBusyRedirects;

beforeAll(async () => {
  test = await createTestStore();
  const rejected = createRejectedBatches(`${test.dataDir}/rejected`);
  writer = createHitWriter({ store: test.store, rejected, logger: silentLogger });
});
afterAll(() => test.remove());
beforeEach(() => {
  redirectId = `rd_${++count}`;
  producer = createTestProducer(`run-${count}`);
  counted = [];
  const query: TestStore['store']['query'] = (sql, params) => {
    if (sql === HITS_SINCE) counted.push(params?.redirects as string[]);
    return test.store.query(sql, params);
  };
  findBusy = createBusyRedirects({ store: { ...test.store, query }, nowMs: () => nowMs });
});

function record(hits: number, timestamp = '2026-03-20 12:00:00.000', from = producer) {
  return writer.write(
    from.batch(Array.from({ length: hits }, () => ({ redirect_id: redirectId, timestamp }))),
  );
}
const hitsFound = async (month = MARCH) => (await findBusy(LIMITS, month)).get(redirectId);
const timesCounted = () => counted.flat().filter((id) => id === redirectId).length;

it('a redirect is found with its very limit of hits, from all producers, and not with one less', async () => {
  await record(5);
  await record(4, undefined, createTestProducer(`other-run-${count}`));
  expect(await hitsFound()).toBeUndefined();
  await record(1);
  expect(await hitsFound()).toBe(10);
});

it('only the hits of the month count, whenever they come in', async () => {
  await record(9, '2026-02-28 23:59:59.999');
  await record(9, '2026-03-01 00:00:00.000');
  expect(await hitsFound()).toBeUndefined();
  await record(1, '2026-03-31 23:59:59.999');
  expect(await hitsFound()).toBe(10);
  expect(await hitsFound(new Date('2026-04-01T00:00:00.000Z'))).toBeUndefined();
});

it('hits are counted only when they may have reached the next limit', async () => {
  await record(12);
  expect(await hitsFound()).toBe(12);
  expect(timesCounted()).toBe(1);
  await record(87);
  expect(await hitsFound()).toBe(12);
  expect(timesCounted()).toBe(1);
  await record(1);
  expect(await hitsFound()).toBe(100);
  expect(timesCounted()).toBe(2);
  await record(50);
  expect(await hitsFound()).toBe(100);
  expect(timesCounted()).toBe(2);
});

it('a redirect that could not have reached any limit is not counted at all', async () => {
  await record(9);
  await hitsFound();
  expect(timesCounted()).toBe(0);
});

it('a redirect that goes on recording is counted anew after a minute, in case its counters are behind', async () => {
  await record(12);
  await hitsFound();
  await record(1);
  nowMs += 59_999;
  expect(await hitsFound()).toBe(12);
  nowMs += 1;
  expect(await hitsFound()).toBe(13);
  nowMs += 60_000;
  await hitsFound();
  expect(timesCounted()).toBe(2);
});

it('they are counted from the roll-up by hour', async () => {
  await record(12);
  await makeRollUps(test);
  const params = { redirects: [redirectId], sinceMs: MARCH.getTime() };
  expect(await readsSingleHits(test, { sql: HITS_SINCE, params })).toBe(false);
});
