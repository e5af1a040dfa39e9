import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';

import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

const NO_HITS = {
  totalHits: 0,
  uniqueVisitors: 0,
  botHits: 0,
  humanHits: 0,
  avgHitsPerDay: 0,
  peakHits: 0,
  peakDate: null,
  successRate: 0,
};
const NO_CHANGE = { hits: 0, uniqueVisitors: 0, botHits: 0, humanHits: 0, avgHitsPerDay: 0 };

describeQuestionRules({
  app: () => app,
  path: 'stats/comparison',
  noHits: {
    periods: [
      { period: 'current', hits: 0 },
      { period: 'previous', hits: 0 },
    ],
    summary: { current: NO_HITS, previous: NO_HITS, change: NO_CHANGE },
  },
  hitsIn: ({ summary }: { summary: { current: typeof NO_HITS } }) => summary.current.totalHits,
  countsBots: true,
});

describe('the comparison with the period before', () => {
  const redirect_id = 'rd_compared';
  const compare = (query: string) => app.get(`${redirect_id}/stats/comparison?${query}`);
  const at = (timestamp: string, n: number, is_bot: 0 | 1 = 0) => ({
    redirect_id,
    timestamp: `2026-${timestamp}`,
    visitor_id: visitor(n),
    is_bot,
  });

  beforeAll(() =>
    app.record([
      at('01-07 23:59:59.999', 9),
      at('01-08 00:00:00.000', 1),
      at('01-10 12:00:00.000', 1),
      at('01-12 12:00:00.000', 2),
      at('01-14 23:59:59.999', 3),
      at('01-15 00:00:00.000', 1),
      at('01-16 00:00:00.000', 7, 1),
      at('01-17 00:00:00.000', 8, 1),
      at('01-21 23:59:59.999', 1),
      at('01-22 00:00:00.000', 9),
    ]),
  );

  it('counts both to the millisecond, and says how much has changed', async () => {
    const { body } = await compare('start=2026-01-15&end=2026-01-21');
    const previous = { start: '2026-01-08T00:00:00.000Z', end: '2026-01-14T23:59:59.999Z' };
    const current = { start: '2026-01-15T00:00:00.000Z', end: '2026-01-21T23:59:59.999Z' };
    expect((body as { data: unknown }).data).toEqual({
      periods: [
        { period: 'previous', ...previous, hits: 4, uniqueVisitors: 3, percentage: 66.67 },
        { period: 'current', ...current, hits: 2, uniqueVisitors: 1, percentage: 33.33 },
      ],
      summary: {
        current: {
          ...NO_HITS,
          totalHits: 4,
          uniqueVisitors: 1,
          botHits: 2,
          humanHits: 2,
          avgHitsPerDay: 0.57,
          peakHits: 1,
          peakDate: '2026-01-15T00:00:00.000Z',
          successRate: 100,
        },
        previous: {
          ...NO_HITS,
          totalHits: 4,
          uniqueVisitors: 3,
          humanHits: 4,
          avgHitsPerDay: 0.57,
          peakHits: 1,
          peakDate: '2026-01-08T00:00:00.000Z',
          successRate: 100,
        },
        change: { hits: 0, uniqueVisitors: -66.67, botHits: null, humanHits: -50, avgHitsPerDay: 0 },
      },
    });
    expect(body).toMatchObject({ meta: { period: current, previousPeriod: previous } });
  });

  it('has bots in the list if they are asked for, and the current period first if both had as many', async () => {
    const { body } = await compare('start=2026-01-15&end=2026-01-21&includeBots=true');
    expect(body).toMatchObject({
      data: {
        periods: [
          { period: 'current', hits: 4, uniqueVisitors: 3, percentage: 50 },
          { period: 'previous', hits: 4, uniqueVisitors: 3, percentage: 50 },
        ],
      },
    });
  });

  it('says of the period before what the same question says of it', async () => {
    const periods = [
      'start=2026-01-12T06:30:00Z&end=2026-01-19T12:00:00.000Z',
      'start=2026-01-15T00:00:00.001Z&end=2026-01-15T23:00:00Z',
      'start=1900-01-01&end=2299-12-30',
      'end=2026-01-31',
      '',
    ];
    for (const period of periods) {
      const { body } = await compare(period);
      const { data, meta } = body as {
        data: { summary: { previous: object } };
        meta: { previousPeriod: { start: string; end: string } };
      };
      const { start, end } = meta.previousPeriod;
      if (start < '1900') {
        expect(data.summary.previous, period).toEqual(NO_HITS);
        continue;
      }
      const alone = await app.get(`${redirect_id}/stats/basic?start=${start}&end=${end}`, 'hits');
      expect(alone.body, period).toMatchObject({ data: data.summary.previous });
    }
  });

  it('has no percentage for growth from nothing, and keeps the row of the empty period', async () => {
    expect(await compare('start=2026-01-01&end=2026-01-07')).toMatchObject({
      body: {
        data: {
          periods: [
            { period: 'current', hits: 1, percentage: 100 },
            { period: 'previous', start: '2025-12-25T00:00:00.000Z', hits: 0, percentage: 0 },
          ],
          summary: { change: { hits: null, botHits: 0, avgHitsPerDay: null } },
        },
      },
    });
  });

  it('tells the growth of the daily average beside that of hits', async () => {
    const { body } = await compare('start=2026-01-12T12:00:00Z&end=2026-01-15T11:59:59.999Z');
    expect(body).toMatchObject({
      data: { summary: { change: { hits: 200, avgHitsPerDay: 200 } } },
    });
  });
});
