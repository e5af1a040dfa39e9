import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface PathsAnswer {
  paths: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/paths',
  query: 'limit=1000',
  noHits: { paths: [], summary: { totalPaths: 0, topPath: null } },
  hitsIn: ({ paths }: PathsAnswer) => paths.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/paths?start=2026-01-01&${query}`)).body;

describe('paths', () => {
  it('come by hits and then by path, as they were asked for', async () => {
    const redirect_id = 'rd_paths';
    const asking = (path: string, n: number) => ({ redirect_id, path, visitor_id: visitor(n) });
    await app.record([
      asking('/b', 1),
      asking('/b', 2),
      asking('/B', 1),
      asking('/%C3%A4', 1),
      { ...asking('/%C3%A4', 1), is_bot: 1 },
    ]);
    const percentage = 25;
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        paths: [
          { path: '/b', hits: 2, uniqueVisitors: 2, percentage: 50 },
          { path: '/%C3%A4', hits: 1, uniqueVisitors: 1, percentage },
          { path: '/B', hits: 1, uniqueVisitors: 1, percentage },
        ],
        summary: { totalPaths: 3, topPath: '/b' },
      },
    });
  });

  it('have shares that add up, and the rest of them counted beyond the limit', async () => {
    const redirect_id = 'rd_many_paths';
    await app.record(Array.from({ length: 900 }, (_, n) => ({ redirect_id, path: `/${n % 700}` })));
    const all = (await ask(redirect_id, 'limit=1000')) as { data: { paths: { percentage: number }[] } };
    expect(all.data.paths).toHaveLength(700);
    const sum = all.data.paths.reduce((total, { percentage }) => total + percentage, 0);
    expect(Math.abs(sum - 100)).toBeLessThanOrEqual(0.05);
    expect(await ask(redirect_id, 'limit=2')).toMatchObject({
      data: {
        paths: [
          { path: '/0', hits: 2, percentage: 0.22 },
          { path: '/1', hits: 2, percentage: 0.22 },
        ],
        summary: { totalPaths: 700 },
      },
      meta: { limit: 2 },
    });
  });
});
