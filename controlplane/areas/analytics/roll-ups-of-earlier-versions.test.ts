import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../../storage/clickhouse/analytics-store.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { openAnalyticsStore } from '../../storage/clickhouse/client.js';
import { clickhouseMigrationsFolder, migrateAnalyticsStore } from '../../storage/clickhouse/migrate.js';
import { PROJECTIONS } from './roll-ups.fixture.js';

const NEWEST = '0013_by_path_and_match.sql';

let folder: string;
let store: AnalyticsStore;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymark-earlier-'));
  await cp(clickhouseMigrationsFolder(), path.join(folder, 'migrations'), { recursive: true });
  await rm(path.join(folder, 'migrations', NEWEST));
  store = await openAnalyticsStore({ dataDir: folder });
  await migrateAnalyticsStore(store, silentLogger, { folder: path.join(folder, 'migrations') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const addPart = (first: number) =>
  store.command(
    `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, path, rule_id)
     SELECT 'p', {first:UInt64} + number, 'rd_1', '2026-02-03 04:05:06.000', concat('/', toString(number % 7)), number % 2
     FROM numbers(100)`,
    { first },
  );

const rollUpsOfParts = async () => {
  const parts = await store.query<{ rollUps: number }>(
    `SELECT length(projections) AS rollUps FROM system.parts
     WHERE table = 'hits' AND active AND rows > 0 ORDER BY min_block_number`,
  );
  return parts.map(({ rollUps }) => rollUps);
};

/** The different sets of roll-ups that parts have. */
const namesOfRollUps = async () => {
  const sets = await store.query<{ names: string[] }>(
    `SELECT DISTINCT arraySort(projections) AS names FROM system.parts WHERE table = 'hits' AND active AND rows > 0`,
  );
  return sets.map(({ names }) => names);
};

it('parts with and without roll-ups get those that they lack, and are merged with each other', async () => {
  const all = PROJECTIONS.length;
  await addPart(1);
  await addPart(101);
  await store.command('OPTIMIZE TABLE hits FINAL');
  await store.command('SYSTEM STOP MERGES hits');
  await addPart(201);
  await addPart(301);
  expect(await rollUpsOfParts()).toEqual([all, 0, 0]);
  await store.command('SYSTEM START MERGES hits');

  await migrateAnalyticsStore(store, silentLogger);
  await vi.waitFor(async () => {
    expect(await namesOfRollUps()).toEqual([[...PROJECTIONS].sort()]);
  }, 30_000);
  await store.command('OPTIMIZE TABLE hits FINAL');

  expect(await rollUpsOfParts()).toEqual([all]);
  const [unmatched] = await store.query(
    `SELECT sum(n) AS hits, uniqIf(path, isUnmatched) AS paths, sumIf(n, isUnmatched) AS unmatchedHits FROM (
       SELECT path, rule_id = 0 OR entry_id = 1099511627776 AS isUnmatched, count() AS n FROM hits
       WHERE redirect_id = 'rd_1' GROUP BY path, isUnmatched)`,
  );
  expect(unmatched).toEqual({ hits: 400, paths: 7, unmatchedHits: 200 });
});

it('does not wait for the roll-ups of hits that are there', async () => {
  await addPart(1);
  await store.command('SYSTEM STOP MERGES hits');
  await migrateAnalyticsStore(store, silentLogger);
  expect(await rollUpsOfParts()).toEqual([0]);
  await store.command('SYSTEM START MERGES hits');
  await vi.waitFor(async () => expect(await rollUpsOfParts()).toEqual([PROJECTIONS.length]), 30_000);
});
