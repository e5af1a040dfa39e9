import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';

import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

const NO_HITS = { totalHits: 0, peakHits: 0, peakHour: null, avgHits: 0 };

describeQuestionRules({
  app: () => app,
  path: 'stats/hourly',
  noHits: { hours: Array.from({ length: 24 }, (_, hour) => ({ hour, hits: 0 })), summary: NO_HITS },
  hitsIn: ({ summary }: { summary: typeof NO_HITS }) => summary.totalHits,
});

describe('hours of the day', () => {
  it('are those of all days together, those with as many hits in the order of the day', async () => {
    const redirect_id = 'rd_hours';
    const at = (time: string, n: number, is_bot: 0 | 1 = 0) => ({
      redirect_id,
      timestamp: `2026-01-${time}`,
      visitor_id: visitor(n),
      is_bot,
    });
    await app.record([
      at('01 23:59:59.999', 1),
      at('02 00:00:00.000', 1),
      at('02 09:00:00.000', 1),
      at('03 09:59:59.999', 1),
      at('04 09:30:00.000', 2),
      at('04 10:00:00.000', 2),
      at('04 11:00:00.000', 3, 1),
    ]);
    const row = (hour: number, hits: number, uniqueVisitors: number, percentage: number) => ({
      hour,
      hits,
      uniqueVisitors,
      percentage,
    });
    const { body } = await app.get(`${redirect_id}/stats/hourly?start=2026-01-01`);
    expect((body as { data: unknown }).data).toEqual({
      hours: [
        ...[row(9, 3, 2, 50), row(0, 1, 1, 16.67), row(10, 1, 1, 16.67), row(23, 1, 1, 16.67)],
        ...[1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22].map((hour) =>
          row(hour, 0, 0, 0),
        ),
      ],
      summary: { totalHits: 6, peakHits: 3, peakHour: 9, avgHits: 0.25 },
    });
    const there = await app.get(`${redirect_id}/stats/hourly?start=2026-01-01&timezone=Asia/Kolkata`);
    expect(there.body).toMatchObject({
      // 10:00 UTC is 15:30 there, and 09:00 to 09:29 UTC is 14:30 to 14:59.
      data: {
        hours: expect.arrayContaining([row(15, 3, 2, 50), row(14, 1, 1, 16.67), row(5, 2, 1, 33.33)]),
      },
      meta: {
        timezone: 'Asia/Kolkata',
        series: { hours: { unit: 'hour-of-day', timezone: 'Asia/Kolkata' } },
      },
    });
    const withBots = await app.get(`${redirect_id}/stats/hourly?start=2026-01-01&includeBots=true`);
    expect(withBots.body).toMatchObject({ data: { summary: { totalHits: 7 } } });
  });
});
