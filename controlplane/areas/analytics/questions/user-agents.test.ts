import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface UserAgentsAnswer {
  userAgents: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/user-agents',
  query: 'limit=1000',
  noHits: { userAgents: [], summary: { totalUserAgents: 0, topUserAgent: null } },
  hitsIn: ({ userAgents }: UserAgentsAnswer) => userAgents.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/user-agents?start=2026-01-01&${query}`)).body;

describe('user agents', () => {
  it('come by hits and then by name; those of bots only where they are asked for', async () => {
    const redirect_id = 'rd_user_agents';
    const by = (user_agent: string, n: number) => ({ redirect_id, user_agent, visitor_id: visitor(n) });
    const bot = { ...by('Crawler/1', 4), is_bot: 1, bot_reason: 'user-agent' } as const;
    await app.record([by('Agent/2', 1), by('Agent/1', 1), by('Agent/1', 2), by('', 3), bot, bot, bot, bot]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        userAgents: [
          { userAgent: 'Agent/1', hits: 2, uniqueVisitors: 2, percentage: 50 },
          { userAgent: '', hits: 1, uniqueVisitors: 1, percentage: 25 },
          { userAgent: 'Agent/2', hits: 1, uniqueVisitors: 1, percentage: 25 },
        ],
        summary: { totalUserAgents: 3, topUserAgent: 'Agent/1' },
      },
    });
    expect(await ask(redirect_id, 'includeBots=true&limit=1')).toMatchObject({
      data: {
        userAgents: [{ userAgent: 'Crawler/1', hits: 4, uniqueVisitors: 1, percentage: 50 }],
        summary: { totalUserAgents: 4, topUserAgent: 'Crawler/1' },
      },
    });
  });
});
