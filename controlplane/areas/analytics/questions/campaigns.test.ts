import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface CampaignsAnswer {
  campaigns: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/campaigns',
  query: 'limit=1000',
  noHits: {
    campaigns: [],
    summary: {
      totalCampaigns: 0,
      topSource: null,
      topMedium: null,
      topCampaign: null,
      coverage: 0,
    },
  },
  hitsIn: ({ campaigns }: CampaignsAnswer) => campaigns.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/campaigns?start=2026-01-01&${query}`)).body;

describe('campaigns', () => {
  it('are what the parameters say together, and the summary tells each by itself', async () => {
    const redirect_id = 'rd_campaigns';
    const by = (n: number, parameters: HitOptions) => ({
      redirect_id,
      visitor_id: visitor(n),
      ...parameters,
    });
    const spring = { utm_source: 'mail', utm_medium: 'email', utm_campaign: 'spring' };
    const wide = { utm_source: 'ads', utm_medium: 'cpc', utm_campaign: 'spring' };
    await app.record([
      by(1, { ...spring, utm_term: 'shoes', utm_content: 'top' }),
      by(2, { ...spring, utm_term: 'shoes', utm_content: 'top' }),
      by(1, wide),
      by(1, wide),
      by(1, { ...wide, utm_campaign: 'autumn' }),
      by(1, { utm_term: 'boots' }),
      by(1, {}),
      by(1, {}),
      { ...by(3, spring), is_bot: 1 },
    ]);
    const none = { source: null, medium: null, campaign: null, term: null, content: null };
    const ads = { ...none, source: 'ads', medium: 'cpc' };
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        campaigns: [
          { ...ads, campaign: 'spring', hits: 2, uniqueVisitors: 1, percentage: 33.33 },
          {
            source: 'mail',
            medium: 'email',
            campaign: 'spring',
            term: 'shoes',
            content: 'top',
            hits: 2,
            uniqueVisitors: 2,
            percentage: 33.33,
          },
          { ...none, term: 'boots', hits: 1, uniqueVisitors: 1, percentage: 16.67 },
          { ...ads, campaign: 'autumn', hits: 1, uniqueVisitors: 1, percentage: 16.67 },
        ],
        summary: {
          totalHits: 8,
          campaignHits: 6,
          totalCampaigns: 4,
          topSource: 'ads',
          topMedium: 'cpc',
          topCampaign: 'spring',
          coverage: 75,
        },
      },
    });
    expect(await ask(redirect_id, 'limit=1&includeBots=true')).toMatchObject({
      data: { campaigns: [{ source: 'ads' }], summary: { totalCampaigns: 5, topSource: 'ads' } },
    });
  });

  it('have rows whose values, empty where there is none, select the hits of the row', async () => {
    const redirect_id = 'rd_rows';
    const spring = { utm_source: 'mail', utm_campaign: 'spring' };
    const tags: HitOptions[] = [
      {},
      spring,
      { ...spring, utm_medium: 'email' },
      { ...spring, utm_term: 'shoes' },
      { utm_content: 'top' },
    ];
    await app.record(
      tags.flatMap((tagged, index) => Array.from({ length: index + 1 }, () => ({ redirect_id, ...tagged }))),
    );
    const { data } = (await ask(redirect_id)) as { data: { campaigns: Record<string, string | null>[] } };
    expect(data.campaigns).toHaveLength(tags.length - 1);
    for (const { hits, uniqueVisitors, percentage, ...row } of data.campaigns) {
      const filters = Object.entries(row).map(([name, value]) => `${name}=${value ?? ''}`);
      const { body } = await app.get(`${redirect_id}/stats/basic?start=2026-01-01&${filters.join('&')}`);
      expect(body, filters.join('&')).toMatchObject({ data: { totalHits: hits } });
    }
  });
});
