import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';

import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

const NO_OVERVIEW = {
  totalHits: 0,
  uniqueVisitors: 0,
  botsPercentage: 0,
  avgHitsPerDay: 0,
  successRate: 0,
  change: { hits: 0, uniqueVisitors: 0 },
};

interface DashboardAnswer {
  data: {
    overview: typeof NO_OVERVIEW;
    topReferrers: { count: number; percentage: number }[];
    dailyTrends: { date: string; count: number }[];
  };
}

describeQuestionRules({
  app: () => app,
  path: 'dashboard',
  noHits: {
    overview: NO_OVERVIEW,
    topCountries: [],
    topDevices: [],
    topBrowsers: [],
    topReferrers: [],
    topRules: [],
  },
  hitsIn: ({ overview }: DashboardAnswer['data']) => overview.totalHits,
  countsBots: true,
});

describe('the dashboard', () => {
  const dashboard = async (redirectId: string, query: string) =>
    (await app.get(`${redirectId}/dashboard?${query}`)).body as DashboardAnswer;

  const PHONE: HitOptions = {
    country: 'DE',
    device_type: 'mobile',
    browser_name: 'Mobile Safari',
    referrer: 'https://www.google.com/',
    referrer_domain: 'google.com',
    referrer_type: 'search',
    rule_id: 12,
    visitor_id: visitor(1),
  };

  it('shows the period, what has changed since the one before, and the tops of its lists', async () => {
    const redirect_id = 'rd_dashboard';
    const hit = (timestamp: string, options: HitOptions = {}): HitOptions => ({
      redirect_id,
      timestamp: `2026-01-${timestamp}`,
      ...options,
    });
    await app.record([
      hit('08 00:00:00.000', PHONE),
      hit('09 23:59:59.999', { visitor_id: visitor(2) }),
      hit('10 00:00:00.000', PHONE),
      hit('10 12:00:00.000', PHONE),
      hit('11 23:59:59.999', { ...PHONE, country: 'AT', visitor_id: visitor(2), rule_id: 9 }),
      hit('11 12:00:00.000', { status_code: 508, visitor_id: visitor(3) }),
      hit('11 12:00:00.000', { ...PHONE, is_bot: 1, visitor_id: visitor(4) }),
    ]);
    const { data } = await dashboard(redirect_id, 'start=2026-01-10&end=2026-01-11');
    const tops = (count: number, percentage: number) => ({ count, percentage });
    expect(data).toEqual({
      overview: {
        totalHits: 5,
        uniqueVisitors: 3,
        botsPercentage: 20,
        avgHitsPerDay: 2.5,
        successRate: 80,
        change: { hits: 150, uniqueVisitors: 50 },
      },
      topCountries: [
        { country: 'DE', ...tops(2, 66.67) },
        { country: 'AT', ...tops(1, 33.33) },
      ],
      topDevices: [
        { device: 'mobile', ...tops(3, 75) },
        { device: 'unknown', ...tops(1, 25) },
      ],
      topBrowsers: [
        { browser: 'Mobile Safari', ...tops(3, 75) },
        { browser: 'unknown', ...tops(1, 25) },
      ],
      topReferrers: [
        { referrer: 'google.com', ...tops(3, 75) },
        { referrer: 'direct', ...tops(1, 25) },
      ],
      topRules: [
        { ruleId: 12, name: 'Phones', ...tops(2, 66.67) },
        { ruleId: 9, name: 'Rule 9', ...tops(1, 33.33) },
      ],
      dailyTrends: [
        { date: '2026-01-10', count: 2 },
        { date: '2026-01-11', count: 3 },
      ],
    });
    const withBots = await dashboard(redirect_id, 'start=2026-01-10&end=2026-01-11&includeBots=true');
    expect(withBots).toMatchObject({
      data: {
        overview: { totalHits: 5, uniqueVisitors: 4 },
        topCountries: [{ country: 'DE', count: 3 }, {}],
      },
      meta: { previousPeriod: { start: '2026-01-08T00:00:00.000Z', end: '2026-01-09T23:59:59.999Z' } },
    });
  });

  it('ranks by hits, then by name or number, ten at most with shares of all', async () => {
    const redirect_id = 'rd_tops';
    const site = (n: number) => ({
      redirect_id,
      referrer: `https://site${n}.example/`,
      referrer_domain: `site${n}.example`,
      rule_id: n,
    });
    await app.record([site(25), ...Array.from({ length: 19 }, (_, n) => site(n + 1))]);
    const { data } = await dashboard(redirect_id, 'start=2026-01-31');
    expect(data.topReferrers.slice(0, 3)).toEqual([
      { referrer: 'site1.example', count: 1, percentage: 5 },
      { referrer: 'site10.example', count: 1, percentage: 5 },
      { referrer: 'site11.example', count: 1, percentage: 5 },
    ]);
    expect(data.topReferrers).toHaveLength(10);
    expect(data).toMatchObject({ topRules: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((ruleId) => ({ ruleId })) });
  });

  it('has every day of the period, by default 30 of them', async () => {
    await app.record([{ redirect_id: 'rd_days', timestamp: '2026-01-01 12:00:00.000' }]);
    const { dailyTrends } = (await dashboard('rd_days', 'start=2025-12-31T12:00:00Z&end=2026-01-02')).data;
    expect(dailyTrends).toEqual([
      { date: '2025-12-31', count: 0 },
      { date: '2026-01-01', count: 1 },
      { date: '2026-01-02', count: 0 },
    ]);
    const byDefault = (await dashboard('rd_days', '')).data.dailyTrends;
    expect(byDefault).toHaveLength(30);
    expect([byDefault[0], byDefault[29]]).toEqual([
      { date: '2026-02-14', count: 0 },
      { date: '2026-03-15', count: 0 },
    ]);
  });
});
