import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';

import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface StatusCodeAnswer {
  statusCodes: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/status-codes',
  noHits: { statusCodes: [], summary: { totalStatusCodes: 0, topStatusCode: null, successRate: 0 } },
  hitsIn: ({ statusCodes }: StatusCodeAnswer) => statusCodes.reduce((sum, { hits }) => sum + hits, 0),
});

describe('status codes', () => {
  it('come by hits and then by code, with the share of those that lead somewhere', async () => {
    const redirect_id = 'rd_codes';
    const answered = (status_code: number, n: number) => ({
      redirect_id,
      status_code,
      visitor_id: visitor(n),
    });
    await app.record([
      answered(302, 1),
      answered(302, 1),
      answered(302, 2),
      answered(508, 1),
      answered(301, 2),
      { ...answered(508, 3), is_bot: 1 },
    ]);
    const { body } = await app.get(`${redirect_id}/stats/status-codes?start=2026-01-01`);
    expect((body as { data: unknown }).data).toEqual({
      statusCodes: [
        { statusCode: 302, hits: 3, uniqueVisitors: 2, percentage: 60 },
        { statusCode: 301, hits: 1, uniqueVisitors: 1, percentage: 20 },
        { statusCode: 508, hits: 1, uniqueVisitors: 1, percentage: 20 },
      ],
      summary: { totalStatusCodes: 3, topStatusCode: 302, successRate: 80 },
    });
    const withBots = await app.get(`${redirect_id}/stats/status-codes?start=2026-01-01&includeBots=true`);
    expect(withBots.body).toMatchObject({
      data: { statusCodes: [{ statusCode: 302 }, { statusCode: 508, hits: 2 }, { statusCode: 301 }] },
    });
  });
});
