import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface DestinationUrlsAnswer {
  destinationUrls: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/destination-urls',
  query: 'limit=1000',
  noHits: { destinationUrls: [], summary: { totalDestinationUrls: 0, topDestinationUrl: null, coverage: 0 } },
  hitsIn: ({ destinationUrls }: DestinationUrlsAnswer) =>
    destinationUrls.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/destination-urls?start=2026-01-01&${query}`)).body;

describe('destinations', () => {
  it('come by hits and then by address, of the hits that were sent somewhere', async () => {
    const redirect_id = 'rd_destinations';
    const to = (destination_url: string, n: number) => ({
      redirect_id,
      destination_url,
      visitor_id: visitor(n),
    });
    await app.record([
      to('https://b.example/', 1),
      to('https://a.example/?x=1', 1),
      to('https://b.example/', 2),
      to('https://a.example/', 1),
      to('', 1),
      { ...to('https://a.example/', 1), is_bot: 1 },
    ]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        destinationUrls: [
          { destinationUrl: 'https://b.example/', hits: 2, uniqueVisitors: 2, percentage: 50 },
          { destinationUrl: 'https://a.example/', hits: 1, uniqueVisitors: 1, percentage: 25 },
          { destinationUrl: 'https://a.example/?x=1', hits: 1, uniqueVisitors: 1, percentage: 25 },
        ],
        summary: {
          ...{ totalHits: 5, sentHits: 4 },
          ...{ totalDestinationUrls: 3, topDestinationUrl: 'https://b.example/', coverage: 80 },
        },
      },
    });
    expect(await ask(redirect_id, 'limit=1')).toMatchObject({
      data: { destinationUrls: [{ hits: 2 }], summary: { totalDestinationUrls: 3 } },
    });
  });
});
