import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitIdOf, NO_ENTRY } from '../../../../shared/paths/entry-ids.js';
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
  it('are those of people that neither an entry nor a rule led on, by hits, also beside a percentage', async () => {
    const redirect_id = 'rd_unmatched';
    const asking = (path: string, rule_id = 0) => ({ redirect_id, path, rule_id, visitor_id: visitor(1) });
    await app.record([
      asking('/b'),
      asking('/b'),
      asking('/a'),
      asking('/entry', hitIdOf(7)),
      asking('/rule', 12),
      { ...asking('/a', 12), entry_id: NO_ENTRY },
      { ...asking('/entry', 12), entry_id: 7 },
      { ...asking('/bot'), is_bot: 1 },
    ]);
    const url = `${redirect_id}/stats/unmatched-paths?start=2026-01-01`;
    expect((await app.get(url)).body).toMatchObject({
      data: {
        paths: [
          { path: '/a', hits: 2, uniqueVisitors: 1, percentage: 50 },
          { path: '/b', hits: 2, uniqueVisitors: 1, percentage: 50 },
        ],
        summary: { totalPaths: 2, totalHits: 4, topPath: '/a' },
      },
    });
    expect((await app.get(`${url}&limit=1`)).body).toMatchObject({
      data: { paths: [{ path: '/a' }], summary: { totalPaths: 2 } },
    });
  });
});
