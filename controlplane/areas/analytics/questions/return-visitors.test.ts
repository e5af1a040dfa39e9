import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { makeRollUps, readsSingleHits } from '../roll-ups.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

const NO_HITS = {
  totalHits: 0,
  uniqueVisitors: 0,
  returningVisitors: 0,
  returningPercentage: 0,
  avgHitsPerVisitor: 0,
};

interface VisitorsAnswer {
  data: {
    visitors: { visitorType: string; hits: number }[];
    distribution: { uniqueVisitors: number }[];
    summary: typeof NO_HITS;
  };
  meta: { visitorSampleRate: number };
}

describeQuestionRules({
  app: () => app,
  path: 'stats/return-visitors',
  noHits: { visitors: [], summary: NO_HITS },
  hitsIn: ({ summary }: VisitorsAnswer['data']) => summary.totalHits,
});

describe('returning visitors', () => {
  const visitors = async (redirectId: string, query = '') =>
    (await app.get(`${redirectId}/stats/return-visitors?start=2026-01-01${query}`)).body as VisitorsAnswer;

  it('are those with more than one hit in the period, bots left out', async () => {
    const redirect_id = 'rd_returning';
    const hit = (n: number) => ({ redirect_id, visitor_id: visitor(n) });
    await app.record([
      ...[1, 2, 2, 2, 3, 3, 4].map(hit),
      { ...hit(1), timestamp: '2025-12-31 23:59:59.999' },
      { ...hit(4), is_bot: 1 },
    ]);
    const { data, meta } = await visitors(redirect_id);
    expect(data).toEqual({
      visitors: [
        { visitorType: 'returning', hits: 5, uniqueVisitors: 2, percentage: 71.43 },
        { visitorType: 'single', hits: 2, uniqueVisitors: 2, percentage: 28.57 },
      ],
      distribution: [
        { minVisits: 1, maxVisits: 1, uniqueVisitors: 2, percentage: 50 },
        { minVisits: 2, maxVisits: 2, uniqueVisitors: 1, percentage: 25 },
        { minVisits: 3, maxVisits: 3, uniqueVisitors: 1, percentage: 25 },
        ...[4, 5].map((n) => ({ minVisits: n, maxVisits: n, uniqueVisitors: 0, percentage: 0 })),
        { minVisits: 6, maxVisits: 10, uniqueVisitors: 0, percentage: 0 },
        { minVisits: 11, maxVisits: 20, uniqueVisitors: 0, percentage: 0 },
        { minVisits: 21, maxVisits: 50, uniqueVisitors: 0, percentage: 0 },
        { minVisits: 51, maxVisits: null, uniqueVisitors: 0, percentage: 0 },
      ],
      summary: {
        totalHits: 7,
        uniqueVisitors: 4,
        returningVisitors: 2,
        returningPercentage: 50,
        avgHitsPerVisitor: 1.75,
      },
    });
    expect(meta).toMatchObject({ redirectId: redirect_id, visitorSampleRate: 1 });
    const withBots = await visitors(redirect_id, '&includeBots=true');
    expect(withBots.data.summary).toMatchObject({ totalHits: 8, returningVisitors: 3 });
  });

  it('come before single ones where they have as many hits, and alone where there are no others', async () => {
    const record = (redirect_id: string, ...visitorsOfHits: number[]) =>
      app.record(visitorsOfHits.map((n) => ({ redirect_id, visitor_id: visitor(n) })));
    const types = async (redirectId: string) =>
      (await visitors(redirectId)).data.visitors.map(({ visitorType, hits }) => [visitorType, hits]);
    await record('rd_even', 1, 1, 2, 3);
    expect(await types('rd_even')).toEqual([
      ['returning', 2],
      ['single', 2],
    ]);
    await record('rd_all_return', 1, 1);
    expect(await types('rd_all_return')).toEqual([['returning', 2]]);
    await record('rd_none_returns', 1, 2);
    expect(await types('rd_none_returns')).toEqual([['single', 2]]);
  });

  it('are estimated from a sample of visitors where there are very many', async () => {
    // Of 200,000 visitors every fourth comes three times.
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, sampling_rate, visitor)
       SELECT 'many', number, 'rd_crowd', '2026-02-03 04:05:06.000', 1,
         sipHash64(if(number < 200000, number, 4 * (number % 50000)))
       FROM numbers(300000)`,
    );
    const { data, meta } = await visitors('rd_crowd');
    const { visitorSampleRate } = meta;
    expect(visitorSampleRate).toBeLessThan(1);
    const near = (count: number) => {
      const sixErrors = 6 * Math.sqrt(count / visitorSampleRate);
      return [count - sixErrors, count + sixErrors] as const;
    };
    const expectNear = (found: number, count: number) => {
      const [least, most] = near(count);
      expect(found).toBeGreaterThan(least);
      expect(found).toBeLessThan(most);
    };
    expectNear(data.summary.uniqueVisitors, 200_000);
    expectNear(data.summary.returningVisitors, 50_000);
    const ofRanges = data.distribution.map(({ uniqueVisitors }) => uniqueVisitors);
    const { uniqueVisitors, returningVisitors } = data.summary;
    expect(ofRanges.slice(0, 4)).toEqual([uniqueVisitors - returningVisitors, 0, returningVisitors, 0]);
    expect(data.summary.totalHits).toBe(300_000);
    expect(data.visitors.reduce((sum, { hits }) => sum + hits, 0)).toBe(300_000);
  });

  it('are estimated from the roll-up as hit by hit, and from no hit where the period is one of whole days', async () => {
    await makeRollUps(app.test);
    const url = 'rd_crowd/stats/return-visitors?start=2026-02-01&end=2026-02-05';
    expect(await app.get(url)).toEqual(await app.get(url, 'hits'));
    const selects = await app.selectsFor(url);
    const reads = await Promise.all(selects.map((select) => readsSingleHits(app.test, select)));
    expect(reads).not.toContain(true);
  });

  it('are not estimated to have more hits than there are', async () => {
    // The sample contains more of the hashes of these numbers than its share.
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, sampling_rate, visitor)
       SELECT 'once', number, 'rd_once', '2026-02-03 04:05:06.000', 1, sipHash64(number)
       FROM numbers(100000)`,
    );
    const { data, meta } = await visitors('rd_once');
    expect(meta.visitorSampleRate).toBeLessThan(1);
    expect(data.visitors).toEqual([
      { visitorType: 'single', hits: 100_000, uniqueVisitors: 100_000, percentage: 100 },
    ]);
  });

  it('are some wherever hits are said to be of them', async () => {
    // For this number of visitors with one visit each, the estimate is 69,935.
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, sampling_rate, visitor)
       SELECT 'fewer', number, 'rd_fewer', '2026-02-03 04:05:06.000', 1, sipHash64(number)
       FROM numbers(70000)`,
    );
    const { data } = await visitors('rd_fewer');
    expect(data.summary.totalHits).toBeGreaterThan(data.summary.uniqueVisitors);
    expect(data.visitors).toMatchObject([
      { visitorType: 'single', uniqueVisitors: data.summary.uniqueVisitors - 1 },
      { visitorType: 'returning', uniqueVisitors: 1 },
    ]);
  });
});
