import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestProducer } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import { extendRetention } from './change-hits.js';
import { countHits, isReadFromRollUp, ROLL_UPS, readRollUp } from './roll-ups.fixture.js';

const DAY_MS = 86_400_000;

/** Hits of a redirect, one of each age, with the retention of their plans. */
interface Case {
  readonly redirectId: string;
  /** Days that hits are kept, and the ages of those that are, in days. */
  readonly stored: readonly (readonly [retentionDays: number, agesDays: readonly number[]])[];
  /** Retention after a change of the plan, before any hit expires. */
  readonly changedTo?: number;
  readonly leftDays: readonly number[];
}

const CASES: Readonly<Record<string, Case>> = {
  'for 30 days': { redirectId: 'rd_30', stored: [[30, [1, 29, 31, 400]]], leftDays: [1, 29] },
  'for a year': { redirectId: 'rd_365', stored: [[365, [29, 364, 366]]], leftDays: [29, 364] },
  'for two years': { redirectId: 'rd_730', stored: [[730, [366, 729, 731]]], leftDays: [366, 729] },
  'for ever': { redirectId: 'rd_0', stored: [[0, [1, 731, 3000]]], leftDays: [1, 731, 3000] },
  'for a century': { redirectId: 'rd_century', stored: [[36_500, [1, 3000]]], leftDays: [1, 3000] },
  'under several plans, each for its own time': {
    redirectId: 'rd_several',
    stored: [
      [30, [1, 40]],
      [365, [2, 41, 400]],
    ],
    leftDays: [1, 2, 41],
  },
  'for longer since the plan was changed': {
    redirectId: 'rd_longer',
    stored: [[30, [1, 40, 400]]],
    changedTo: 365,
    leftDays: [1, 40],
  },
  'as long as before since the plan was changed to a shorter one': {
    redirectId: 'rd_shorter',
    stored: [[365, [1, 29, 31, 366]]],
    changedTo: 30,
    leftDays: [1, 29, 31],
  },
  'for ever whatever the plan was changed to': {
    redirectId: 'rd_from_ever',
    stored: [[0, [1, 731]]],
    changedTo: 730,
    leftDays: [1, 731],
  },
};

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
  await test.store.command('SYSTEM STOP TTL MERGES hits');
  const [first, ...others] = Object.values(CASES).reverse();
  for (const each of others) await store(each);
  await test.store.command('OPTIMIZE TABLE hits FINAL');
  // The hits are in separate parts, which have no roll-ups from merges.
  await store(first!);
  for (const { redirectId, changedTo } of Object.values(CASES)) {
    if (changedTo !== undefined) await extendRetention(test.store, [redirectId, 'rd_none'], changedTo);
  }
  await changesAreDone();
  await test.store.command(
    'ALTER TABLE hits MODIFY SETTING merge_with_ttl_timeout = 0, merge_selecting_sleep_ms = 50',
  );
  await test.store.command('SYSTEM START TTL MERGES hits');
  await vi.waitFor(async () => expect(await expiredHits()).toBe(0), { interval: 100 });
});
afterAll(() => test.remove());

async function store({ redirectId, stored }: Case): Promise<void> {
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  const producer = createTestProducer(`run-${redirectId}`);
  const hits = stored.flatMap(([retentionDays, agesDays]) =>
    agesDays.map((ageDays) => ({
      redirect_id: redirectId,
      timestamp: new Date(Date.now() - ageDays * DAY_MS).toISOString().replace('T', ' ').replace('Z', ''),
      retention_days: retentionDays,
      path: `/${ageDays}`,
    })),
  );
  await writer.write(producer.batch(hits));
}

async function expiredHits(): Promise<number | undefined> {
  const [row] = await test.store.query<{ expired: number }>(
    `SELECT count() AS expired FROM hits
     WHERE retention_days BETWEEN 1 AND 9999 AND timestamp < now() - toIntervalDay(retention_days)`,
  );
  return row?.expired;
}

/**
 * Waits for the changes. The store makes them in the background. Waiting for the last one includes all earlier ones.
 */
async function changesAreDone(): Promise<void> {
  await test.store.command(
    'ALTER TABLE hits UPDATE retention_days = retention_days WHERE 0 SETTINGS mutations_sync = 2',
  );
}

it.each(Object.keys(CASES))('hits are kept %s', async (name) => {
  const { redirectId, leftDays } = CASES[name]!;
  const left = await test.store.query<{ age: number }>(
    'SELECT toUInt32(substring(path, 2)) AS age FROM hits WHERE redirect_id = {redirect:String} ORDER BY age',
    { redirect: redirectId },
  );
  expect(left.map(({ age }) => age)).toEqual(leftDays);
});

it('hits are kept for ever since the plan was changed to one without an end', async () => {
  const redirectId = 'rd_to_ever';
  await store({
    redirectId,
    stored: [
      [30, [1]],
      [365, [2]],
      [0, [3]],
    ],
    leftDays: [],
  });
  await extendRetention(test.store, [redirectId], 0);
  await changesAreDone();
  const kept = await test.store.query<{ days: number }>(
    'SELECT DISTINCT retention_days AS days FROM hits WHERE redirect_id = {redirect:String}',
    { redirect: redirectId },
  );
  expect(kept).toEqual([{ days: 0 }]);
});

it.each<[string, string[], number]>([
  ['no redirects', [], 1],
  ['a shorter time', ['rd_365'], 30],
  ['the same time', ['rd_30'], 30],
])('a change for %s asks the store for no work', async (_what, redirectIds, days) => {
  const mutations = () => test.store.query("SELECT mutation_id FROM system.mutations WHERE table = 'hits'");
  const before = await mutations();
  await extendRetention(test.store, redirectIds, days);
  expect(await mutations()).toEqual(before);
});

it('the roll-ups lose what the hits lose', async () => {
  for (const rollUp of ROLL_UPS) {
    const rows = await readRollUp(test, rollUp, 'rd_several');
    expect(rows, rollUp.name).toEqual(await countHits(test, rollUp, 'rd_several'));
    expect(await isReadFromRollUp(test, rollUp, 'rd_several'), rollUp.name).toBe(true);
  }
});
