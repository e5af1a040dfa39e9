import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import type { Database } from '../../storage/postgres/database.js';
import { PLANS } from '../plans/default-plans.js';
import { createReadUsageStats } from './billing-summary.js';

const user = (id: string) => ({ id, plan: PLANS.free });
const nowMs = () => Date.UTC(2026, 2, 10);

/** Usage of users with two redirects each, one of them verified. Tests release the counts of events. */
function setUp() {
  const counts: { readonly withinMs: number; end(hits: number): void; fail(error: Error): void }[] = [];
  const readUsage = createReadUsageStats({
    database: {
      query: async (sql: string) =>
        sql.includes('FILTER') ? [{ all: 2, active: 1 }] : [{ id: 'one' }, { id: 'two' }],
    } as unknown as Database,
    countEvents: (_ids, _since, withinMs) =>
      new Promise((end, fail) => {
        counts.push({ withinMs, end, fail });
      }),
    logger: pino({ level: 'silent' }),
    nowMs,
  });
  return { readUsage, counts };
}

it('concurrent callers share one count per user, which has a limit', async () => {
  const { readUsage, counts } = setUp();
  const usages = Promise.all([
    readUsage(user('a'), undefined),
    readUsage(user('a'), undefined),
    readUsage(user('b'), undefined),
  ]);
  await vi.waitFor(() => expect(counts).toHaveLength(2));
  counts[0]!.end(7);
  counts[1]!.end(9);
  expect((await usages).map(({ totalAnalyticsEvents }) => totalAnalyticsEvents)).toEqual([7, 7, 9]);
  expect((await usages)[0]).toMatchObject({ redirectsUsed: 1, redirectsPending: 1 });
  expect(counts.map(({ withinMs }) => withinMs)).toEqual([1_500, 1_500]);
});

it('a count that fails shows zero, and the next caller counts again', async () => {
  const { readUsage, counts } = setUp();
  const first = readUsage(user('a'), undefined);
  await vi.waitFor(() => expect(counts).toHaveLength(1));
  counts[0]!.fail(new Error('the store is away'));
  expect((await first).totalAnalyticsEvents).toBe(0);
  const second = readUsage(user('a'), undefined);
  await vi.waitFor(() => expect(counts).toHaveLength(2));
  counts[1]!.end(3);
  expect((await second).totalAnalyticsEvents).toBe(3);
});
