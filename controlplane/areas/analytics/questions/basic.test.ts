import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HitOptions, visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp(0.5);
});
afterAll(() => app.close());

const JANUARY = 'start=2026-01-01&end=2026-01-31';

/** Stores hits of one redirect at these times. */
const recordAt = (redirect_id: string, ...timestamps: string[]) =>
  app.record(timestamps.map((timestamp) => ({ redirect_id, timestamp })));

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

describeQuestionRules({
  app: () => app,
  path: 'stats/basic',
  noHits: NO_HITS,
  hitsIn: ({ totalHits }: typeof NO_HITS) => totalHits,
  countsBots: true,
});

describe('basic statistics', () => {
  const basic = (redirectId: string, query = JANUARY) => app.get(`${redirectId}/stats/basic?${query}`);
  const hits = async (redirectId: string, query?: string) =>
    ((await basic(redirectId, query)).body as { data: { totalHits: number } }).data.totalHits;

  it('never tell of more visitors than hits, where visitors are estimated too', async () => {
    const ids = ['rd_each_once_1', 'rd_each_once_2', 'rd_each_once_3', 'rd_each_once_4'];
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, visitor, sampling_rate)
       SELECT id, number, arrayJoin({ids:Array(String)}) AS id, '2026-01-10 08:00:00.000', sipHash64(id, number), 1
       FROM numbers(3000)`,
      { ids },
    );
    for (const id of ids) {
      const [{ body }, { body: inTime }] = await Promise.all([
        basic(id),
        app.get(`${id}/stats/time?interval=hour&start=2026-01-10&end=2026-01-10`),
      ]);
      const { uniqueVisitors } = (body as { data: typeof NO_HITS }).data;
      const { timeSeries } = (inTime as { data: { timeSeries: { uniqueVisitors: number }[] } }).data;
      expect(uniqueVisitors).toBeGreaterThan(2_900);
      expect(uniqueVisitors).toBeLessThanOrEqual(3_000);
      expect(Math.max(...timeSeries.map((hour) => hour.uniqueVisitors))).toBeLessThanOrEqual(3_000);
    }
  });

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
          recording: { active: true, reason: null },
          bots: 'included',
          timezone: 'UTC',
          series: {},
        },
      },
    });
    const withBots = await basic(redirect_id, `${JANUARY}&includeBots=true`);
    expect(withBots.body).toMatchObject({ data: { uniqueVisitors: 4, totalHits: 6, humanHits: 4 } });
    const withoutBots = await basic(redirect_id, `${JANUARY}&includeBots=false`);
    expect(withoutBots.body).toMatchObject({
      data: { totalHits: 4, botHits: 0, humanHits: 4, uniqueVisitors: 3 },
      meta: { bots: 'excluded', sampling: { recordedHits: 6 } },
    });
  });

  it('cover 30 days up to now by default', async () => {
    await recordAt(
      'rd_default',
      '2026-02-13 23:59:59.999',
      '2026-02-14 00:00:00.000',
      '2026-03-15 10:20:30.456',
    );
    expect(await basic('rd_default', '')).toMatchObject({
      body: {
        data: { totalHits: 2, avgHitsPerDay: 0.07 },
        meta: { period: { start: '2026-02-14T00:00:00.000Z', end: '2026-03-15T10:20:30.456Z' } },
      },
    });
    expect(await hits('rd_default', 'end=2026-03-15T10:20:30.455Z')).toBe(1);
  });

  it('read periods with offsets, and such as reach far beyond all hits', async () => {
    await recordAt(
      'rd_wide',
      '2026-01-04 23:59:59.999',
      '2026-01-05 00:00:00.000',
      '2026-01-06 00:00:00.000',
    );
    const offsets = 'start=2026-01-05T02:00:00%2B02:00&end=2026-01-06T02:00:00%2B02:00';
    expect(await hits('rd_wide', offsets)).toBe(2);
    for (const source of ['best', 'hits'] as const) {
      const { body } = await app.get('rd_wide/stats/basic?start=1900-01-01&end=2299-12-30', source);
      expect(body).toMatchObject({ data: { totalHits: 3 }, meta: { sampling: { recordedHits: 3 } } });
    }
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
    const counts = Array.from({ length: 30 }, (_, index) => index + 1);
    await app.record(
      counts.flatMap((n) => Array.from({ length: n }, () => ({ redirect_id: `rd_many_${n}` }))),
    );
    const found = await Promise.all(counts.map((n) => hits(`rd_many_${n}`)));
    expect(found).toEqual(counts);
    expect(await hits("rd_many_1' OR 1 = 1 --")).toBe(0);
  });

  it('name the earlier of two days that had as many hits', async () => {
    await recordAt('rd_peaks', '2026-01-12 08:00:00.000', '2026-01-11 23:59:59.999');
    expect((await basic('rd_peaks')).body).toMatchObject({
      data: { peakHits: 1, peakDate: '2026-01-11T00:00:00.000Z' },
    });
  });
});
