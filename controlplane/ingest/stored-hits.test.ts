import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { decompressBlock } from '../../shared/hits/hit-block-compression.js';
import { createTestStore, silentLogger, type TestStore } from '../clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { encodedBatch, timestampOf } from './hit-batch.fixture.js';
import { readHitNames } from './hit-names.js';
import { createHitWriter, type HitWriter } from './hit-writer.js';
import { createStoredHits, type StoredHits } from './stored-hits.js';

const HOUR_MS = 3600 * 1000;
const NOW_MS = Date.UTC(2026, 0, 31, 12);

let test: TestStore;
let nowMs: number;
let questions: number;
let stored: StoredHits;
let producers = 0;
let producerId: string;

/** The test's store, which counts what it is asked. */
function counting(store: AnalyticsStore): AnalyticsStore {
  const query: AnalyticsStore['query'] = (sql, params) => {
    questions += 1;
    return store.query(sql, params);
  };
  return { ...store, query };
}

/** Two hits of that time, of which the first has this ordinal. */
const twoHits = (firstOrdinal: number, timeMs = NOW_MS, of = producerId) =>
  encodedBatch(of, {
    sequence: Math.ceil(firstOrdinal / 2),
    firstOrdinal,
    hits: [{ timestamp: timestampOf(timeMs) }, { timestamp: timestampOf(timeMs) }],
  });

async function shareOf(encoded: Uint8Array) {
  const decoded = decodeHitBatch(encoded);
  if (!decoded.ok) throw new Error(decoded.reason);
  const { batch } = decoded;
  const share = await stored.shareOf(batch, readHitNames(await decompressBlock(batch.block), batch));
  return { share, noteInserted: () => stored.noteInserted(batch) };
}

/** As the writer does with a batch of which nothing is there. @returns how often the store was asked */
async function insert(encoded: Uint8Array): Promise<number> {
  const before = questions;
  const { share, noteInserted } = await shareOf(encoded);
  expect(share).toBe('none');
  noteInserted();
  return questions - before;
}

const newWriter = (store: AnalyticsStore): HitWriter =>
  createHitWriter({
    store,
    rejected: { put: async (_, reason) => Promise.reject(new Error(reason)) },
    logger: silentLogger,
  });

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());
beforeEach(() => {
  producers += 1;
  producerId = `run-${producers}`;
  nowMs = NOW_MS;
  questions = 0;
  stored = createStoredHits(counting(test.store), () => nowMs);
});

describe('the store is not asked about a batch', () => {
  it('that follows what was inserted just before, batch after batch', async () => {
    const asked = [await insert(twoHits(1)), await insert(twoHits(3)), await insert(twoHits(5))];
    expect(asked).toEqual([1, 0, 0]);
  });

  it('whatever batches of other producers come between', async () => {
    await insert(twoHits(1));
    await insert(twoHits(1, NOW_MS, `${producerId}-other`));
    expect(await insert(twoHits(3))).toBe(0);
  });
});

describe('the store is asked about a batch', () => {
  const following = () => twoHits(3);

  it.each<[string, { next: () => Uint8Array; happens?: () => unknown }]>([
    ['that leaves out ordinals', { next: () => twoHits(4) }],
    ['that comes again', { next: () => twoHits(1) }],
    ['that has come late', { next: () => twoHits(3, NOW_MS - 25 * HOUR_MS) }],
    ['when it is not known what became of it', { next: following, happens: () => shareOf(following()) }],
    ['when the one before has come again', { next: following, happens: () => shareOf(twoHits(1)) }],
    ['when the one before was seconds ago', { next: following, happens: () => (nowMs += 5_001) }],
    ['when the clock was set back', { next: following, happens: () => (nowMs -= 1) }],
    ['when others may have had it before', { next: following, happens: () => stored.beginAnew() }],
  ])('%s', async (_, { next, happens }) => {
    await insert(twoHits(1));
    await happens?.();
    expect(await insert(next())).toBe(1);
  });
});

describe('a writer in the middle of a run', () => {
  const ordinals = async () =>
    (
      await test.store.query<{ ordinal: number }>(
        'SELECT ordinal FROM hits WHERE producer_id = {producer:String} ORDER BY ordinal',
        { producer: producerId },
      )
    ).map(({ ordinal }) => ordinal);
  const freshHits = (firstOrdinal: number) => twoHits(firstOrdinal, Date.now());

  it('stores once what another one had meanwhile', async () => {
    const [one, other] = [newWriter(test.store), newWriter(test.store)];
    const [first, second, third] = [freshHits(1), freshHits(3), freshHits(5)];
    await one.write(first);
    for (const batch of [first, second]) await other.write(batch);
    for (const batch of [second, third, second]) await one.write(batch);
    expect(await ordinals()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('knows what it could not tell to be stored', async () => {
    let breaks = false;
    const insertRows: AnalyticsStore['insertRows'] = async (rows) => {
      await test.store.insertRows(rows);
      if (breaks && rows.table === 'hits') throw new Error('the connection broke');
    };
    const writer = newWriter({ ...test.store, insertRows });
    await writer.write(freshHits(1));
    breaks = true;
    const second = freshHits(3);
    await expect(writer.write(second)).rejects.toThrow('the connection broke');
    expect(await writer.write(second)).toEqual({ status: 'duplicate' });
  });

  it('asks about what follows a batch that was there in part', async () => {
    const first = freshHits(1);
    await newWriter(test.store).write(first);
    await test.store.command('DELETE FROM hits WHERE producer_id = {producer:String} AND ordinal = 2', {
      producer: producerId,
    });
    const writer = newWriter(counting(test.store));
    await writer.write(first);
    questions = 0;
    await writer.write(freshHits(3));
    expect(questions).toBe(1);
  });
});
