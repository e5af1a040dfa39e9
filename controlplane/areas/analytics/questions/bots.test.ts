import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';

import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

const NO_HITS = { totalHits: 0, botHits: 0, humanHits: 0, botsPercentage: 0, topBotReason: null };

describeQuestionRules({
  app: () => app,
  path: 'stats/bots',
  noHits: { bots: [], summary: NO_HITS },
  hitsIn: ({ summary }: { summary: typeof NO_HITS }) => summary.totalHits,
  countsBots: true,
});

describe('bots', () => {
  it.each(['', '&includeBots=true', '&includeBots=false&end=2026-12-31'])(
    'are told by what they were known by, people only counted%s',
    async (query) => {
      const redirect_id = `rd_bots${query.length}`;
      const bot = (bot_reason: string, n: number) => ({
        redirect_id,
        is_bot: 1 as const,
        bot_reason,
        visitor_id: visitor(n),
      });
      await app.record([
        bot('user-agent', 1),
        bot('prefetch', 1),
        bot('user-agent', 1),
        bot('user-agent', 2),
        bot('head', 3),
        bot('', 3),
        { redirect_id, visitor_id: visitor(4) },
        { redirect_id, visitor_id: visitor(5) },
      ]);
      const { body } = await app.get(`${redirect_id}/stats/bots?start=2026-01-01${query}`);
      expect((body as { data: unknown }).data).toMatchObject({
        bots: [
          { botReason: 'user-agent', hits: 3, uniqueVisitors: 2, percentage: 50 },
          { botReason: 'head', hits: 1, uniqueVisitors: 1, percentage: 16.67 },
          { botReason: 'prefetch', hits: 1, uniqueVisitors: 1, percentage: 16.67 },
          { botReason: 'unknown', hits: 1, uniqueVisitors: 1, percentage: 16.67 },
        ],
        daily: expect.arrayContaining([{ date: '2026-01-01', hits: 0, uniqueVisitors: 0 }]),
        summary: { totalHits: 8, botHits: 6, humanHits: 2, botsPercentage: 75, topBotReason: 'user-agent' },
      });
    },
  );
});
