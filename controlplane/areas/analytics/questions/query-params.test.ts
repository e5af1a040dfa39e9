import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface QueryParamsAnswer {
  queryParams: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/query-params',
  query: 'limit=1000',
  noHits: { queryParams: [], summary: { totalQueryParams: 0, topQueryParam: null, coverage: 0 } },
  // Those hits have one parameter each.
  hitsIn: ({ queryParams }: QueryParamsAnswer) => queryParams.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/query-params?start=2026-01-01&${query}`)).body;

describe('query parameters', () => {
  it('count each hit once for every name it has, and visitors once for all', async () => {
    const redirect_id = 'rd_params';
    const having = (query_names: string, n: number) => ({ redirect_id, query_names, visitor_id: visitor(n) });
    await app.record([
      having('a&b', 1),
      having('a', 1),
      having('a&b&gclid', 2),
      having('c', 3),
      having('a%5B%5D', 3),
      having('', 4),
      having('', 4),
      having('', 5),
      { ...having('a', 6), is_bot: 1 },
    ]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        queryParams: [
          { param: 'a', hits: 3, uniqueVisitors: 2, percentage: 37.5 },
          { param: 'b', hits: 2, uniqueVisitors: 2, percentage: 25 },
          { param: 'a%5B%5D', hits: 1, uniqueVisitors: 1, percentage: 12.5 },
          { param: 'c', hits: 1, uniqueVisitors: 1, percentage: 12.5 },
          { param: 'gclid', hits: 1, uniqueVisitors: 1, percentage: 12.5 },
        ],
        summary: { totalQueryParams: 5, topQueryParam: 'a', coverage: 62.5 },
      },
    });
    expect(await ask(redirect_id, 'limit=1&includeBots=true')).toMatchObject({
      data: {
        queryParams: [{ param: 'a', hits: 4, uniqueVisitors: 3, percentage: 44.44 }],
        summary: { totalQueryParams: 5, coverage: 66.67 },
      },
    });
  });
});
