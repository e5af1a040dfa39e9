import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSerialQueue } from '../../../shared/async/serial-queue.js';
import { type HitOptions, visitor } from '../../ingest/hit-batch.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { type AnalyticsApp, createAnalyticsApp, NOW, shownVisitor } from './analytics-app.fixture.js';
import { createAnalyticsService } from './analytics-service.js';
import type { Question } from './question.js';
import { pathStats } from './questions/paths.js';
import { queryParamStats } from './questions/query-params.js';
import { referrerStats } from './questions/referrers.js';
import { returnVisitorStats } from './questions/return-visitors.js';

let app: AnalyticsApp;
let visitors = 0;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

/** Returns complete hits, each of a different visitor. */
const hitsOf = (redirect_id: string): HitOptions[] =>
  Array.from({ length: 5 }, () => {
    visitors += 1;
    return { redirect_id, visitor_id: visitor(visitors), path: `/${visitors % 2}`, query_names: 'a' };
  });

/** Returns the store, with more hits after each statement. */
function busyStore(redirectId: string): AnalyticsStore {
  const turns = createSerialQueue();
  const query = <Row extends object>(...statement: Parameters<AnalyticsStore['query']>) =>
    turns.run(async () => {
      const rows = await app.test.store.query<Row>(...statement);
      await app.record(hitsOf(redirectId));
      return rows;
    });
  return { ...app.test.store, query };
}

interface Lists {
  readonly summary: Readonly<Record<string, unknown>>;
  readonly [list: string]: unknown;
}

it.each<[Question, list: string]>([
  [pathStats, 'paths'],
  [referrerStats, 'referrers'],
  [queryParamStats, 'queryParams'],
  [returnVisitorStats, 'visitors'],
])(
  'hits that come while a question is answered leave its percentages right: $path',
  async (question, list) => {
    const redirectId = `rd_${list}`;
    await app.record(hitsOf(redirectId));
    const analytics = createAnalyticsService({
      store: busyStore(redirectId),
      redirects: { requireOwned: async (id) => ({ id, samplingRate: 1 }) },
      shownVisitor,
      clock: () => NOW,
    });
    const query = { start: '2026-01-01', includeBots: false, limit: 100 };
    const { data } = await analytics.answer(question, { redirectId, userId: 'owner' }, query);
    const { summary, [list]: rows } = data as Lists;
    const sum = (rows as { percentage: number }[]).reduce((total, { percentage }) => total + percentage, 0);
    expect(sum).toBeCloseTo(100, 1);
    const { directTraffic = 100 } = summary;
    expect(directTraffic).toBe(100);
  },
);

it('the rows of a list that is cut, and what they are shares of, are of one moment', async () => {
  const redirectId = 'rd_cut';
  visitors = 0; // odd paths first: three of five hits
  await app.record(hitsOf(redirectId));
  const analytics = createAnalyticsService({
    store: busyStore(redirectId),
    redirects: { requireOwned: async (id) => ({ id, samplingRate: 1 }) },
    shownVisitor,
    clock: () => NOW,
  });
  const query = { start: '2026-01-01', includeBots: false, limit: 1 };
  const { data } = await analytics.answer(pathStats, { redirectId, userId: 'owner' }, query);
  expect(data).toMatchObject({ paths: [{ path: '/1', percentage: 60 }], summary: { totalPaths: 2 } });
});
