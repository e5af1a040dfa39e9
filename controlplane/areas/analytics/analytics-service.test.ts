import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnalyticsStore, QueryLimits } from '../../storage/clickhouse/analytics-store.js';
import { type AnalyticsApp, createAnalyticsApp, NOW, shownVisitor } from './analytics-app.fixture.js';
import { createAnalyticsService } from './analytics-service.js';
import { basicStats } from './questions/basic.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

describe('what a plan no longer keeps', () => {
  async function recordedHits(retentionDays: number | undefined, query: { start: string; end?: string }) {
    const analytics = createAnalyticsService({
      store: app.test.store,
      redirects: { requireOwned: async (id) => ({ id, samplingRate: 1 }) },
      shownVisitor,
      retentionDaysOf: async () => retentionDays,
      clock: () => NOW,
    });
    const asker = { redirectId: 'rd_1', userId: 'owner' };
    const { meta } = await analytics.answer(basicStats, asker, { ...query, includeBots: false });
    expect(meta.period.start).toBe(`${query.start}T00:00:00.000Z`);
    return meta.sampling.recordedHits;
  }

  it('is not read, though the store may still have it', async () => {
    await app.record(
      [
        '2026-01-01 00:00:00.000',
        '2026-02-12 23:59:59.999',
        '2026-02-13 00:00:00.000',
        '2026-03-15 10:00:00.000',
      ].map((timestamp) => ({ timestamp })),
    );
    expect(await recordedHits(undefined, { start: '2026-01-01' })).toBe(4);
    expect(await recordedHits(365, { start: '2026-01-01' })).toBe(4);
    expect(await recordedHits(30, { start: '2026-01-01' })).toBe(2);
    expect(await recordedHits(30, { start: '2026-01-01', end: '2026-02-01' })).toBe(0);
  });
});

describe('whether visits are recorded now', () => {
  it.each([
    { samplingRate: 1, isPaused: false, recording: { active: true, reason: null } },
    { samplingRate: 0.01, isPaused: true, recording: { active: false, reason: 'monthly_limit' } },
    { samplingRate: 0, isPaused: false, recording: { active: false, reason: 'sampling_zero' } },
    { samplingRate: 0, isPaused: true, recording: { active: false, reason: 'sampling_zero' } },
  ])('is $recording with a rate of $samplingRate and a pause: $isPaused', async (given) => {
    const analytics = createAnalyticsService({
      store: app.test.store,
      redirects: { requireOwned: async (id) => ({ id, samplingRate: given.samplingRate }) },
      isRecordingPaused: async () => given.isPaused,
      shownVisitor,
      clock: () => NOW,
    });
    const asker = { redirectId: 'rd_recording', userId: 'owner' };
    const { meta } = await analytics.answer(basicStats, asker, { includeBots: false });
    expect(meta.recording).toEqual(given.recording);
  });
});

describe('the questions of one user', () => {
  /** Creates a service that records the limits of its queries. */
  function setUp() {
    const asked: QueryLimits[] = [];
    const store: AnalyticsStore = {
      ...app.test.store,
      query(sql, params, limits = {}) {
        asked.push(limits);
        return app.test.store.query(sql, params, limits);
      },
    };
    const analytics = createAnalyticsService({
      store,
      redirects: { requireOwned: async (id) => ({ id, samplingRate: 1 }) },
      shownVisitor,
      clock: () => NOW,
    });
    const ask = (userId: string, signal?: AbortSignal) =>
      analytics.answer(basicStats, { redirectId: 'rd_1', userId, signal }, { includeBots: false });
    return { asked, ask };
  }

  it('are 32 at a time, as many as two views of a dashboard, beside those of others', async () => {
    const { ask } = setUp();
    const underWay = Array.from({ length: 32 }, () => ask('owner'));
    await expect(ask('owner')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'You have 32 questions under way, and 32 at a time are the limit. Retry in 1 s.',
      retryAfterSeconds: 1,
    });
    await Promise.all([...underWay, ask('other')]);
    await ask('owner');
  });

  it('have their turns at the store, and end when the caller leaves', async () => {
    const { asked, ask } = setUp();
    const leaving = new AbortController();
    const answer = ask('owner', leaving.signal);
    leaving.abort();
    await expect(answer).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The client has left.',
    });
    expect(new Set(asked.map(({ owner }) => owner))).toEqual(new Set(['owner']));
  });
});
