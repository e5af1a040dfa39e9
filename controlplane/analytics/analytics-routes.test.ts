import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from './analytics-app.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp(0.5);
});
afterAll(() => app.close());

/** Stores hits of one redirect at these times. */
const recordAt = (redirect_id: string, ...timestamps: string[]) =>
  app.record(timestamps.map((timestamp) => ({ redirect_id, timestamp })));

const JANUARY = 'start=2026-01-01&end=2026-01-31';

describe('basic statistics', () => {
  const basic = (redirectId: string, query = JANUARY) => app.get(`${redirectId}/stats/basic?${query}`);
  const hits = async (redirectId: string, query?: string) =>
    ((await basic(redirectId, query)).body as { data: { totalHits: number } }).data.totalHits;

  it('tell bots from people, days from each other and failures from successes', async () => {
    const redirect_id = 'rd_basic';
    await app.record([
      { redirect_id, timestamp: '2026-01-10 08:00:00.000', visitor_id: visitor(1) },
      { redirect_id, timestamp: '2026-01-10 09:00:00.000', visitor_id: visitor(1), status_code: 302 },
      { redirect_id, timestamp: '2026-01-10 10:00:00.000', visitor_id: visitor(2), status_code: 508 },
      { redirect_id, timestamp: '2026-01-20 10:00:00.000', visitor_id: visitor(3) },
      {
        redirect_id,
        timestamp: '2026-01-20 11:00:00.000',
        visitor_id: visitor(4),
        is_bot: 1,
        bot_reason: 'head',
      },
      {
        redirect_id,
        timestamp: '2026-01-20 12:00:00.000',
        visitor_id: visitor(1),
        is_bot: 1,
        bot_reason: 'head',
      },
    ]);
    expect(await basic(redirect_id)).toEqual({
      status: 200,
      body: {
        data: {
          totalHits: 6,
          uniqueVisitors: 3,
          botHits: 2,
          humanHits: 4,
          avgHitsPerDay: 0.19,
          peakHits: 3,
          peakDate: '2026-01-10T00:00:00.000Z',
          successRate: 83.33,
        },
        meta: {
          redirectId: redirect_id,
          period: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-31T23:59:59.999Z' },
          sampling: { rate: 0.5, recordedHits: 6, estimatedTotalHits: 6 },
          delivery: { recorded: 6, delivered: 6, duplicated: 0, lost: 0 },
        },
      },
    });
    const withBots = await basic(redirect_id, `${JANUARY}&includeBots=true`);
    expect(withBots.body).toMatchObject({ data: { uniqueVisitors: 4, totalHits: 6, humanHits: 4 } });
  });

  it('are zeros for a redirect without hits', async () => {
    expect(await basic('rd_empty', '')).toEqual({
      status: 200,
      body: {
        data: {
          totalHits: 0,
          uniqueVisitors: 0,
          botHits: 0,
          humanHits: 0,
          avgHitsPerDay: 0,
          peakHits: 0,
          peakDate: null,
          successRate: 0,
        },
        meta: {
          redirectId: 'rd_empty',
          period: { start: '2026-02-14T00:00:00.000Z', end: '2026-03-15T10:20:30.456Z' },
          sampling: { rate: 0.5, recordedHits: 0, estimatedTotalHits: 0 },
          delivery: { recorded: 0, delivered: 0, duplicated: 0, lost: 0 },
        },
      },
    });
  });

  it('count the first and the last millisecond of the period and none beside it', async () => {
    await recordAt(
      'rd_edges',
      '2026-01-04 23:59:59.999',
      '2026-01-05 00:00:00.000',
      '2026-01-05 23:59:59.999',
      '2026-01-06 00:00:00.000',
    );
    expect(await hits('rd_edges', 'start=2026-01-05&end=2026-01-05')).toBe(2);
    expect(await hits('rd_edges', 'start=2026-01-05T00:00:00.001Z&end=2026-01-05T23:59:59.998Z')).toBe(0);
    expect(await hits('rd_edges', 'start=2026-01-05T23:59:59.999Z&end=2026-01-05T23:59:59.999Z')).toBe(1);
    expect(await hits('rd_edges', 'start=2026-01-05T02:00:00%2B02:00&end=2026-01-06T02:00:00%2B02:00')).toBe(
      3,
    );
    expect(await hits('rd_edges', 'start=2026-01-01&end=2299-12-30')).toBe(4);
  });

  it('weigh each hit with the sampling rate at its time', async () => {
    const redirect_id = 'rd_sampled';
    const many = (count: number, sampling_rate: number): HitOptions[] =>
      Array.from({ length: count }, () => ({ redirect_id, sampling_rate }));
    await app.record([...many(100, 0.1), ...many(7, 1), ...many(3, 0.3)]);
    expect((await basic(redirect_id)).body).toMatchObject({
      data: { totalHits: 110 },
      meta: { sampling: { rate: 0.5, recordedHits: 110, estimatedTotalHits: 1017 } },
    });
  });

  it('account for what was lost on the way', async () => {
    app.drop('rd_lossy', 4);
    await recordAt('rd_lossy', '2026-01-10 08:00:00.000', '2025-06-10 08:00:00.000');
    expect((await basic('rd_lossy')).body).toMatchObject({
      data: { totalHits: 1 },
      meta: { delivery: { recorded: 6, delivered: 2, duplicated: 0, lost: 4 } },
    });
  });

  it('show a hit that is stored twice', async () => {
    await recordAt('rd_doubled', '2026-01-10 08:00:00.000');
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, sampling_rate)
       SELECT producer_id, ordinal, redirect_id, timestamp, sampling_rate FROM hits WHERE redirect_id = 'rd_doubled'`,
    );
    expect((await basic('rd_doubled')).body).toMatchObject({
      meta: { delivery: { recorded: 1, delivered: 1, duplicated: 1, lost: 0 } },
    });
  });

  it('keep redirects apart', async () => {
    const counts = Array.from({ length: 40 }, (_, index) => index + 1);
    await app.record(
      counts.flatMap((n) => Array.from({ length: n }, () => ({ redirect_id: `rd_many_${n}` }))),
    );
    const found = await Promise.all(counts.map((n) => hits(`rd_many_${n}`)));
    expect(found).toEqual(counts);
    expect(await hits("rd_many_1' OR 1 = 1 --")).toBe(0);
  });
});

describe('statistics over time', () => {
  interface TimeAnswer {
    data: { timeSeries: { timestamp: string; hits: number }[]; summary: object };
    meta: object;
  }
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

describe('a question that cannot be answered', () => {
  it.each([
    ['an interval that is none', 'rd_1/stats/time?interval=year', 400, 'INVALID_REQUEST', 'interval'],
    [
      'too many intervals',
      'rd_1/stats/time?interval=hour&start=2000-01-01',
      400,
      'INVALID_REQUEST',
      'interval',
    ],
    ['an unreadable start', 'rd_1/stats/basic?start=soon', 400, 'INVALID_REQUEST', 'start'],
    ['a day that does not exist', 'rd_1/stats/basic?end=2026-02-30', 400, 'INVALID_REQUEST', 'end'],
    [
      'a start after the end',
      'rd_1/stats/basic?start=2026-02-02&end=2026-02-01',
      400,
      'INVALID_REQUEST',
      'start',
    ],
    [
      'a start given twice',
      'rd_1/stats/basic?start=2026-02-02&start=2026-02-01',
      400,
      'INVALID_REQUEST',
      'start',
    ],
    [
      'a switch that is no boolean',
      'rd_1/stats/basic?includeBots=maybe',
      400,
      'INVALID_REQUEST',
      'includeBots',
    ],
    ['a redirect that does not exist', 'none/stats/basic', 404, 'NOT_FOUND', undefined],
    ['a redirect of somebody else', 'other_1/stats/basic', 403, 'FORBIDDEN', undefined],
    ['a series of somebody else', 'other_1/stats/time', 403, 'FORBIDDEN', undefined],
  ])('for %s says why', async (_, url, status, code, field) => {
    const answer = await app.get(url);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect((answer.body as { error: { field?: string } }).error.field).toBe(field);
  });
});
