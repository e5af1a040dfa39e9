import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestStore, type TestStore } from '../clickhouse/analytics-store.fixture.js';
import { newId } from '../database/new-id.js';
import { createPeriodUsage } from './period-usage.js';

/** What a ClickHouse server takes of one parameter, in bytes. */
const LONGEST_PARAMETER = 128 * 1024;

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
  expect(await countEvents(ids, new Date('2026-03-01T00:00:00.000Z'))).toBe(2);
  expect(Math.max(...lengths)).toBeLessThan(LONGEST_PARAMETER);
  expect(await countEvents([], new Date(0))).toBe(0);
});
