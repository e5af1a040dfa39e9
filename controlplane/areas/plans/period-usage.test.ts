import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestStore, type TestStore } from '../../storage/clickhouse/analytics-store.fixture.js';
import { newId } from '../../storage/postgres/new-id.js';
import { createPeriodUsage } from './period-usage.js';

/** Maximum size of a parameter of ClickHouse, in bytes. */
const LONGEST_PARAMETER = 128 * 1024;
const LONG_MS = 100_000;

let test: TestStore;

beforeAll(async () => {
  test = await createTestStore();
});
afterAll(() => test.remove());

it('events of any number of redirects are counted, with no list longer than a server takes', async () => {
  const ids = Array.from({ length: 8_000 }, () => newId());
  await test.store.command(
    `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp) VALUES
       ('p', 1, {first:String}, '2026-03-01 00:00:00.000'), ('p', 2, {last:String}, '2026-03-02 00:00:00.000'),
       ('p', 3, {last:String}, '2026-02-28 23:59:59.999'), ('p', 4, 'of-others', '2026-03-02 00:00:00.000')`,
    { first: ids[0] ?? '', last: ids.at(-1) ?? '' },
  );
  const lengths: number[] = [];
  const countEvents = createPeriodUsage({
    ...test.store,
    query: <Row extends object>(...[sql, params]: Parameters<typeof test.store.query>) => {
      lengths.push(JSON.stringify(params?.redirects).length);
      return test.store.query<Row>(sql, params);
    },
  });
  expect(await countEvents(ids, new Date('2026-03-01T00:00:00.000Z'), LONG_MS)).toBe(2);
  expect(Math.max(...lengths)).toBeLessThan(LONGEST_PARAMETER);
  expect(await countEvents([], new Date(0), LONG_MS)).toBe(0);
});

it('no statement is begun when time is over, and none may take longer than what is left', async () => {
  const limits: number[] = [];
  const countEvents = createPeriodUsage({
    ...test.store,
    query: async (...[, , limit]: Parameters<typeof test.store.query>) => {
      limits.push(limit?.withinMs ?? Infinity);
      await delay(30);
      return [];
    },
  });
  const ids = Array.from({ length: 100_000 }, (_, index) => `id-${index}`);
  await expect(countEvents(ids, new Date(0), 100)).rejects.toMatchObject({ failure: 'unavailable' });
  expect(limits.length).toBeLessThan(10);
  expect(Math.max(0, ...limits)).toBeLessThanOrEqual(100);
  expect(limits.toSorted((one, other) => other - one)).toEqual(limits);
});
