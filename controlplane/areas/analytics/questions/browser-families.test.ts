import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface BrowserFamiliesAnswer {
  browserFamilies: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/browser-families',
  query: 'limit=1000',
  noHits: { browserFamilies: [], summary: { totalBrowserFamilies: 0, topBrowser: null } },
  hitsIn: ({ browserFamilies }: BrowserFamiliesAnswer) =>
    browserFamilies.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/browser-families?start=2026-01-01&${query}`)).body;

describe('browser families', () => {
  it('come by hits and then by name, all versions together', async () => {
    const redirect_id = 'rd_browsers';
    const by = (browser_name: string, browser_version: string, n: number) => ({
      redirect_id,
      browser_name,
      browser_version,
      visitor_id: visitor(n),
    });
    await app.record([
      by('Chrome', '1', 1),
      by('Chrome', '2', 1),
      by('Safari', '1', 2),
      by('Safari', '1', 3),
      by('', '', 1),
      by('', '', 2),
      by('', '', 3),
      by('Firefox', '9', 1),
      { ...by('Firefox', '9', 1), is_bot: 1 },
    ]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        browserFamilies: [
          { browser: 'unknown', hits: 3, uniqueVisitors: 3, percentage: 37.5 },
          { browser: 'Chrome', hits: 2, uniqueVisitors: 1, percentage: 25 },
          { browser: 'Safari', hits: 2, uniqueVisitors: 2, percentage: 25 },
          { browser: 'Firefox', hits: 1, uniqueVisitors: 1, percentage: 12.5 },
        ],
        summary: { totalBrowserFamilies: 4, topBrowser: 'Chrome' },
      },
    });
    expect(await ask(redirect_id, 'limit=1')).toMatchObject({
      data: {
        browserFamilies: [{ browser: 'unknown' }],
        summary: { totalBrowserFamilies: 4, topBrowser: 'Chrome' },
      },
    });
  });
});
