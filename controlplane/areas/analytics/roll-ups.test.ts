import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createTestProducer,
  type HitOptions,
  type TestProducer,
  visitor,
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
import {
  countHits,
  isReadFrom,
  isReadFromRollUp,
  makeRollUps,
  PROJECTIONS,
  ROLL_UPS,
  type RollUp,
  readRollUp,
} from './roll-ups.fixture.js';

let test: TestStore;
let producer: TestProducer;
let redirectId: string;
let redirects = 0;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());
beforeEach(() => {
  redirects += 1;
  redirectId = `rd_${redirects}`;
  producer = createTestProducer(`run-${redirects}`);
});

const write = (batch: Uint8Array, store: AnalyticsStore = test.store) =>
  createHitWriter({
    store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  }).write(batch);

/** Hits of two months that differ in every column, each from one of `visitors`. */
function variedHits(count: number, visitors = 50): HitOptions[] {
  return Array.from({ length: count }, (_, n) => ({
    redirect_id: redirectId,
    timestamp: n % 3 === 0 ? '2026-01-31 23:59:59.999' : `2026-02-0${1 + (n % 9)} 0${n % 10}:00:00.000`,
    visitor_id: visitor(1 + (n % visitors)),
    is_bot: n % 7 === 0 ? 1 : 0,
    bot_reason: n % 7 === 0 ? 'head' : '',
    status_code: n % 11 === 0 ? 508 : 301,
    country: ['AT', 'DE', ''][n % 3] ?? '',
    city: `City ${n % 4}`,
    device_type: n % 2 === 0 ? 'mobile' : 'desktop',
    browser_version: `${n % 5}.0`,
    user_agent: `Agent/${n % 6}`,
    language: n % 2 === 0 ? 'de' : 'en',
    referrer_domain: `site${n % 3}.example`,
    utm_source: n % 4 === 0 ? 'mailing' : '',
    query_names: n % 5 === 0 ? 'a&b' : '',
    path: `/${n % 8}`,
    destination_url: `https://new.example/${n % 8}`,
    rule_id: n % 3,
    variant: n % 3 === 1 ? 'blue' : '',
  }));
}

/** One roll-up by hour and one by day represent all, because a part has all of them or none. */
const SOME = ROLL_UPS.slice(0, 2);

/** Checks also that the roll-ups exist and that the engine reads them. */
async function expectExactRollUps(hits: number, rollUps: readonly RollUp[] = SOME): Promise<void> {
  await makeRollUps(
    test,
    rollUps.map(({ name }) => name),
  );
  for (const rollUp of rollUps) {
    const rows = await readRollUp(test, rollUp, redirectId);
    expect(rows, rollUp.name).toEqual(await countHits(test, rollUp, redirectId));
    expect(sumOf(rows), rollUp.name).toBe(hits);
    if (hits > 0) expect(await isReadFromRollUp(test, rollUp, redirectId), rollUp.name).toBe(true);
  }
}

/** Returns the number of roll-ups of each part of the table, in the order of the parts. */
const rollUpsOfParts = async () => {
  const parts = await test.store.query<{ rollUps: number }>(
    `SELECT length(projections) AS rollUps FROM system.parts
     WHERE table = 'hits' AND active AND rows > 0 ORDER BY partition_id, min_block_number`,
  );
  return parts.map(({ rollUps }) => rollUps);
};

function sumOf(rows: readonly object[]): number {
  return rows.reduce((sum, row) => sum + ('hits' in row ? Number(row.hits) : 0), 0);
}

describe('the roll-ups', () => {
  it('are those of the table, one and all', async () => {
    const names = await test.store.query<{ name: string }>(
      "SELECT name FROM system.projections WHERE table = 'hits' ORDER BY name",
    );
    expect(names.map(({ name }) => name)).toEqual([...PROJECTIONS].sort());
  });

  it('are made by merges, and answer what counting hit by hit answers', async () => {
    const all = PROJECTIONS.length;
    await test.store.command('SYSTEM STOP MERGES hits');
    await write(producer.batch(variedHits(200)));
    await write(producer.batch(variedHits(100)));
    expect(await rollUpsOfParts()).toEqual([0, 0, 0, 0]);
    await test.store.command('SYSTEM START MERGES hits');
    await test.store.command('OPTIMIZE TABLE hits FINAL');
    expect(await rollUpsOfParts()).toEqual([all, all]);
    await expectExactRollUps(300, ROLL_UPS);
  });

  it('are added up with the hits of parts that have none yet', async () => {
    await write(producer.batch(variedHits(100)));
    await makeRollUps(test);
    await write(producer.batch(variedHits(50)));
    expect(await rollUpsOfParts()).toContain(0);
    for (const rollUp of ROLL_UPS) {
      const rows = await readRollUp(test, rollUp, redirectId);
      expect(rows, rollUp.name).toEqual(await countHits(test, rollUp, redirectId));
      expect(sumOf(rows), rollUp.name).toBe(150);
      expect(await isReadFromRollUp(test, rollUp, redirectId), rollUp.name).toBe(true);
    }
  });

  it('are not read by questions that they do not fit', async () => {
    await write(producer.batch(variedHits(10)));
    await makeRollUps(test, ['by_path_and_match']);
    const ask = (column: string) =>
      `SELECT ${column}, count() AS hits FROM hits
       WHERE redirect_id = {redirect:String} AND toDate(timestamp) > '2026-01-01' GROUP BY ${column}`;
    expect(await isReadFrom(test, 'by_path_and_match', ask('path'), redirectId)).toBe(true);
    expect(await isReadFrom(test, 'by_path_and_match', ask('ip_address'), redirectId)).toBe(false);
  });

  it('count a batch once though it is written again, known to the window or not', async () => {
    const batch = producer.batch(variedHits(90));
    await write(batch);
    await write(batch);
    await test.store.command('ALTER TABLE hits MODIFY SETTING non_replicated_deduplication_window = 0');
    await write(batch);
    await test.store.command('ALTER TABLE hits MODIFY SETTING non_replicated_deduplication_window = 10000');
    await expectExactRollUps(90);
  });

  it('count once what the engine itself is told to insert twice', async () => {
    const row = `["${producer.producerId}",1,"${redirectId}","2026-01-31 12:00:00.000"]`;
    const columns = ['producer_id', 'ordinal', 'redirect_id', 'timestamp'];
    const insert = { table: 'hits', columns, rows: row };
    await test.store.insertRows({ ...insert, deduplicationToken: `twice:${redirectId}` });
    await test.store.insertRows({ ...insert, deduplicationToken: `twice:${redirectId}` });
    await expectExactRollUps(1);
  });

  it.each(['before', 'after'])(
    'are exact once a batch is written that failed %s the insert',
    async (when) => {
      const insertRows: AnalyticsStore['insertRows'] = async (insert) => {
        if (when === 'after') await test.store.insertRows(insert);
        throw new AnalyticsStoreError('unavailable', new Error('the connection broke'));
      };
      const batch = producer.batch(variedHits(60));
      await expect(write(batch, { ...test.store, insertRows })).rejects.toThrow('the connection broke');
      await expectExactRollUps(when === 'after' ? 60 : 0);
      await write(batch);
      await expectExactRollUps(60);
    },
  );

  it('are exact where hits were deleted, also once their batch is written again', async () => {
    const batch = producer.batch(variedHits(60));
    await write(batch);
    await test.store.command(
      "DELETE FROM hits WHERE redirect_id = {redirect:String} AND timestamp < toDateTime64('2026-02-01', 3, 'UTC')",
      { redirect: redirectId },
    );
    await expectExactRollUps(40);
    await write(batch);
    await expectExactRollUps(40);
  });

  it('err by less than 2 % in the number of visitors, those behind lists by less than 4 %', async () => {
    await test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, visitor)
       SELECT 'many', number, {redirect:String}, '2026-02-03 04:05:06.000', sipHash64(number)
       FROM numbers(200000)`,
      { redirect: redirectId },
    );
    await makeRollUps(test);
    for (const rollUp of ROLL_UPS.filter(({ precision }) => precision !== undefined)) {
      expect(await isReadFromRollUp(test, rollUp, redirectId), rollUp.name).toBe(true);
      const [row] = await readRollUp(test, rollUp, redirectId);
      const { visitors } = row as { visitors: number };
      expect(Math.abs(visitors / 200_000 - 1), rollUp.name).toBeLessThan(
        rollUp.precision === 14 ? 0.02 : 0.04,
      );
    }
  });
});
