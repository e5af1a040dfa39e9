import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitIdOf } from '../../../../shared/paths/entry-ids.js';
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
  path: 'stats/unmatched-paths',
  query: 'limit=1000',
  noHits: { paths: [], summary: { totalPaths: 0, totalHits: 0, topPath: null } },
  hitsIn: ({ paths }: PathsAnswer) => paths.reduce((sum, { hits }) => sum + hits, 0),
});

describe('unmatched paths', () => {
  it('are those of people that neither an entry nor a rule decided, by hits', async () => {
    const redirect_id = 'rd_unmatched';
    const asking = (path: string, rule_id = 0) => ({ redirect_id, path, rule_id, visitor_id: visitor(1) });
    await app.record([
      asking('/b'),
      asking('/b'),
      asking('/a'),
      asking('/entry', hitIdOf(7)),
      asking('/rule', 12),
      { ...asking('/bot'), is_bot: 1 },
    ]);
    const url = `${redirect_id}/stats/unmatched-paths?start=2026-01-01`;
    expect((await app.get(url)).body).toMatchObject({
      data: {
        paths: [
          { path: '/b', hits: 2, uniqueVisitors: 1, percentage: 66.67 },
          { path: '/a', hits: 1, uniqueVisitors: 1, percentage: 33.33 },
        ],
        summary: { totalPaths: 2, totalHits: 3, topPath: '/b' },
      },
    });
    expect((await app.get(`${url}&limit=1`)).body).toMatchObject({
      data: { paths: [{ path: '/b' }], summary: { totalPaths: 2 } },
    });
  });
});
