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
  peakHits: 0,
  peakTimestamp: null,
  avgHits: 0,
  busiestHourOfDay: null,
  busiestDayOfWeek: null,
};

describeQuestionRules({
  app: () => app,
  path: 'stats/peak-traffic',
  noHits: {
    peaks: [],
    distribution: {
      byHour: Array.from({ length: 24 }, (_, hour) => ({ hour, hits: 0, percentage: 0 })),
      byWeekday: Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, hits: 0, percentage: 0 })),
    },
    summary: NO_HITS,
  },
  hitsIn: ({ summary }: { summary: typeof NO_HITS }) => summary.totalHits,
});

describe('the busiest hours', () => {
  const peaks = (redirectId: string, query: string) => app.get(`${redirectId}/stats/peak-traffic?${query}`);

  it('come by hits and then by time, and say on which day and at what time there is most to do', async () => {
    const redirect_id = 'rd_peaks';
    // The fourth is a Sunday.
    const times = [
      '04 09:00:00.000',
      '04 09:59:59.999',
      '04 20:00:00.000',
      '04 22:00:00.000',
      '05 09:00:00.000',
      '05 08:30:00.000',
      '06 20:00:00.000',
      '07 09:00:00.000',
      '07 09:01:00.000',
    ];
    await app.record([
      ...times.map((time, n) => ({
        redirect_id,
        timestamp: `2026-01-${time}`,
        visitor_id: visitor(n < 2 ? 1 : n),
      })),
      ...Array(5).fill({ redirect_id, timestamp: '2026-01-06 12:00:00.000', is_bot: 1 }),
    ]);
    const row = (timestamp: string, hits: number, uniqueVisitors: number, percentage: number) => ({
      timestamp: `2026-01-${timestamp}:00:00.000Z`,
      hits,
      uniqueVisitors,
      percentage,
    });
    expect(await peaks(redirect_id, 'start=2026-01-03T22:30:00Z&end=2026-01-07&limit=4')).toMatchObject({
      body: {
        data: {
          peaks: [
            row('04T09', 2, 1, 22.22),
            row('07T09', 2, 2, 22.22),
            row('04T20', 1, 1, 11.11),
            row('04T22', 1, 1, 11.11),
          ],
          distribution: {
            byHour: expect.arrayContaining([
              { hour: 0, hits: 0, percentage: 0 },
              { hour: 9, hits: 5, percentage: 55.56 },
            ]),
            byWeekday: [4, 2, 1, 2, 0, 0, 0].map((hits, dayOfWeek) => ({ dayOfWeek, hits })),
          },
          summary: {
            totalHits: 9,
            peakHits: 2,
            peakTimestamp: '2026-01-04T09:00:00.000Z',
            avgHits: 0.09,
            busiestHourOfDay: 9,
            busiestDayOfWeek: 0,
          },
        },
        meta: { limit: 4, series: { 'distribution.byHour': { unit: 'hour-of-day', timezone: 'UTC' } } },
      },
    });
    expect(await peaks(redirect_id, 'start=2026-01-03&includeBots=true&limit=1')).toMatchObject({
      body: {
        data: {
          peaks: [{ timestamp: '2026-01-06T12:00:00.000Z', hits: 5 }],
          summary: { totalHits: 14, busiestHourOfDay: 9, busiestDayOfWeek: 2 },
        },
      },
    });
  });

  it.each(['0', '1001', 'many'])('are not limited to %s', async (limit) => {
    expect(await peaks('rd_1', `limit=${limit}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', field: 'limit' } },
    });
  });
});
