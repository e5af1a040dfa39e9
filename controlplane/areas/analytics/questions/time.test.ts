import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp(0.5);
});
afterAll(() => app.close());

/** Stores hits of one redirect at these times. */
const recordAt = (redirect_id: string, ...timestamps: string[]) =>
  app.record(timestamps.map((timestamp) => ({ redirect_id, timestamp })));

interface TimeAnswer {
  data: { timeSeries: { timestamp: string; hits: number }[]; summary: { totalHits: number } };
  meta: object;
}

describe.each(['hour', 'day', 'week', 'month'])('hits by the %s', (interval) => {
  describeQuestionRules({
    app: () => app,
    path: 'stats/time',
    query: `interval=${interval}`,
    noHits: { summary: { totalHits: 0, peakHits: 0, peakTimestamp: null, avgHits: 0 } },
    hitsIn: ({ summary }: TimeAnswer['data']) => summary.totalHits,
    countsBots: true,
  });
});

describe('statistics over time', () => {
  const time = async (redirectId: string, query: string) =>
    (await app.get(`${redirectId}/stats/time?${query}`)).body as TimeAnswer;
  const series = async (redirectId: string, query: string) =>
    (await time(redirectId, query)).data.timeSeries.map(
      ({ timestamp, hits }) => [timestamp.slice(0, 16), hits] as const,
    );

  it('fill the days without hits', async () => {
    const redirect_id = 'rd_days';
    await app.record([
      { redirect_id, timestamp: '2026-01-01 00:00:00.000', visitor_id: visitor(1) },
      { redirect_id, timestamp: '2026-01-01 23:59:59.999', visitor_id: visitor(1) },
      { redirect_id, timestamp: '2026-01-03 12:00:00.000', visitor_id: visitor(2), sampling_rate: 0.25 },
      {
        redirect_id,
        timestamp: '2026-01-03 12:00:00.000',
        visitor_id: visitor(3),
        is_bot: 1,
        bot_reason: 'head',
      },
    ]);
    const day = (date: string, hits: number, uniqueVisitors: number, botHits: number) => ({
      timestamp: `${date}T00:00:00.000Z`,
      hits,
      uniqueVisitors,
      botHits,
      humanHits: hits - botHits,
    });
    expect(await time(redirect_id, 'start=2025-12-31&end=2026-01-03')).toEqual({
      data: {
        timeSeries: [
          day('2025-12-31', 0, 0, 0),
          day('2026-01-01', 2, 1, 0),
          day('2026-01-02', 0, 0, 0),
          day('2026-01-03', 2, 1, 1),
        ],
        summary: { totalHits: 4, peakHits: 2, peakTimestamp: '2026-01-01T00:00:00.000Z', avgHits: 1 },
      },
      meta: {
        redirectId: redirect_id,
        period: { start: '2025-12-31T00:00:00.000Z', end: '2026-01-03T23:59:59.999Z' },
        sampling: { rate: 0.5, recordedHits: 4, estimatedTotalHits: 7 },
        delivery: { recorded: 4, delivered: 4, duplicated: 0, lost: 0 },
        recording: { active: true, reason: null },
        bots: 'included',
        timezone: 'UTC',
        series: { timeSeries: { unit: 'day', timezone: 'UTC' } },
        interval: 'day',
      },
    });
    const withBots = await time(redirect_id, 'start=2026-01-03&end=2026-01-03&includeBots=true');
    expect(withBots.data.timeSeries).toMatchObject([{ uniqueVisitors: 2 }]);
  });

  it.each<[string, string, string[], (readonly [string, number])[]]>([
    [
      'hour',
      'start=2026-01-01T22:30:00Z&end=2026-01-02T01:00:00Z',
      [
        '2026-01-01 22:29:59.999',
        '2026-01-01 22:30:00.000',
        '2026-01-02 00:59:59.999',
        '2026-01-02 01:00:00.000',
      ],
      [
        ['2026-01-01T22:00', 1],
        ['2026-01-01T23:00', 0],
        ['2026-01-02T00:00', 1],
        ['2026-01-02T01:00', 1],
      ],
    ],
    [
      'week',
      'start=2025-12-28&end=2026-01-12',
      [
        '2025-12-28 23:59:59.999',
        '2025-12-29 00:00:00.000',
        '2026-01-04 23:59:59.999',
        '2026-01-12 00:00:00.000',
      ],
      [
        ['2025-12-22T00:00', 1],
        ['2025-12-29T00:00', 2],
        ['2026-01-05T00:00', 0],
        ['2026-01-12T00:00', 1],
      ],
    ],
    [
      'month',
      'start=2025-11-15&end=2026-02-28',
      [
        '2025-11-14 23:59:59.999',
        '2025-11-15 00:00:00.000',
        '2025-12-31 23:59:59.999',
        '2026-01-01 00:00:00.000',
      ],
      [
        ['2025-11-01T00:00', 1],
        ['2025-12-01T00:00', 1],
        ['2026-01-01T00:00', 1],
        ['2026-02-01T00:00', 0],
      ],
    ],
  ])('go by the %s, whole or cut by the period', async (interval, query, timestamps, expected) => {
    await recordAt(`rd_by_${interval}`, ...timestamps);
    expect(await series(`rd_by_${interval}`, `interval=${interval}&${query}`)).toEqual(expected);
  });

  // The clocks of both zones show UTC from this start on, but not when the bucket began.
  it.each([
    ['month', '2026-10-26', '2026-09-30T23:00'],
    ['week', '2026-10-25T01:00:00Z', '2026-10-18T23:00'],
    ['day', '2026-10-25T01:00:00Z', '2026-10-24T23:00'],
  ])(
    'are in the first %s of London and Lisbon, although it began in summer time',
    async (interval, start, first) => {
      await recordAt(`rd_winter_${interval}`, '2026-10-26 12:00:00.000', '2026-10-25 12:00:00.000');
      for (const timezone of ['Europe/London', 'Europe/Lisbon']) {
        const query = `interval=${interval}&start=${start}&end=2026-11-01&timezone=${timezone}`;
        const { data } = await time(`rd_winter_${interval}`, query);
        expect(data.timeSeries[0]?.timestamp.slice(0, 16)).toBe(first);
        expect(data.timeSeries[0]?.hits).toBeGreaterThan(0);
        expect(data.timeSeries.reduce((sum, { hits }) => sum + hits, 0)).toBe(interval === 'month' ? 1 : 2);
      }
    },
  );

  it('of all intervals agree with each other and with the basic ones', async () => {
    const stamps = Array.from({ length: 200 }, (_, index) =>
      new Date(Date.UTC(2025, 10, 3, 5, 7) + index * 37 * 3_600_000)
        .toISOString()
        .replace('T', ' ')
        .slice(0, 23),
    );
    await recordAt('rd_agree', ...stamps);
    for (const query of [
      'start=2025-11-10&end=2026-02-03',
      'start=2025-12-01T10:00:00Z&end=2025-12-24T18:00:00Z',
    ]) {
      const basic = await app.get(`rd_agree/stats/basic?${query}`);
      const { totalHits } = (basic.body as { data: { totalHits: number } }).data;
      expect(totalHits).toBeGreaterThan(10);
      for (const interval of ['hour', 'day', 'week', 'month']) {
        const points = await series('rd_agree', `interval=${interval}&${query}`);
        expect(points.reduce((sum, [, hits]) => sum + hits, 0)).toBe(totalHits);
        expect(new Set(points.map(([at]) => at)).size).toBe(points.length);
      }
    }
  });

  it('have empty buckets and no peak for a redirect without hits', async () => {
    const answer = await time('rd_empty', '');
    expect(answer.data.timeSeries).toHaveLength(30);
    expect(answer.data.timeSeries.every(({ hits }) => hits === 0)).toBe(true);
    expect(answer.data.summary).toEqual({ totalHits: 0, peakHits: 0, peakTimestamp: null, avgHits: 0 });
  });
});
