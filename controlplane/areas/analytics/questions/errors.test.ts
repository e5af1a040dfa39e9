import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';

import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

const NO_HITS = {
  totalHits: 0,
  errorHits: 0,
  successHits: 0,
  errorRate: 0,
  successRate: 0,
  topStatusCode: null,
};

describeQuestionRules({
  app: () => app,
  path: 'stats/errors',
  noHits: { errors: [], successes: [], summary: NO_HITS },
  hitsIn: ({ summary }: { summary: typeof NO_HITS }) => summary.totalHits,
  countsBots: true,
});

describe('errors', () => {
  const errors = (redirectId: string, query = '') =>
    app.get(`${redirectId}/stats/errors?start=2026-01-31&${query}`);

  it('are told by status, by hits and then in the order of it, and from what is none', async () => {
    const redirect_id = 'rd_errors';
    const answered = (status_code: number, n: number, hit: HitOptions = {}): HitOptions => ({
      redirect_id,
      status_code,
      visitor_id: visitor(n),
      ...hit,
    });
    await app.record([
      ...[508, 508, 508, 502, 400, 399, 301].map((code) => answered(code, 1)),
      answered(508, 2),
      answered(502, 3, { is_bot: 1 }),
      answered(404, 1, { timestamp: '2026-01-30 23:59:59.999' }),
    ]);
    const row = (statusCode: number, hits: number, uniqueVisitors: number, percentage: number) => ({
      statusCode,
      hits,
      uniqueVisitors,
      percentage,
    });
    const { body } = await errors(redirect_id, 'includeBots=false');
    expect((body as { data: unknown }).data).toEqual({
      errors: [row(508, 4, 2, 66.67), row(400, 1, 1, 16.67), row(502, 1, 1, 16.67)],
      successes: [row(301, 1, 1, 50), row(399, 1, 1, 50)],
      summary: {
        ...{ totalHits: 8, errorHits: 6, successHits: 2 },
        ...{ errorRate: 75, successRate: 25, topStatusCode: 508 },
      },
    });
    expect(await errors(redirect_id)).toMatchObject({
      body: {
        data: { errors: [{ statusCode: 508 }, row(502, 2, 2, 28.57), { statusCode: 400 }] },
        meta: { bots: 'included' },
      },
    });
  });

  it('of which there are none leave the list empty', async () => {
    await app.record([{ redirect_id: 'rd_fine' }]);
    expect(await errors('rd_fine')).toMatchObject({
      body: { data: { errors: [], summary: { ...NO_HITS, totalHits: 1, successHits: 1, successRate: 100 } } },
    });
  });
});
