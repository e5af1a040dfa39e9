import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AnalyticsApp, createAnalyticsApp, NOW } from './analytics-app.fixture.js';
import { createUsageReader } from './usage.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

it('the usage of redirects is that of the current month in UTC', async () => {
  const hit = (redirect_id: string, timestamp: string, sampling_rate = 1) => ({
    redirect_id,
    timestamp,
    sampling_rate,
  });
  await app.record([
    hit('rd_a', '2026-02-28 23:59:59.999'),
    hit('rd_a', '2026-03-01 00:00:00.000'),
    hit('rd_a', '2026-03-31 23:59:59.999', 0.3),
    hit('rd_a', '2026-04-01 00:00:00.000'),
    hit('rd_b', '2026-03-10 12:00:00.000', 0.1),
    hit('rd_c', '2026-02-10 12:00:00.000'),
  ]);
  const usage = createUsageReader(app.test.store, { clock: () => NOW });
  expect(await usage.usageOf(['rd_b', 'rd_a', 'rd_c', 'rd_unknown', 'rd_a'])).toEqual(
    new Map([
      ['rd_b', { recordedHits: 1, estimatedTotalHits: 10 }],
      ['rd_a', { recordedHits: 2, estimatedTotalHits: 4 }],
      ['rd_c', { recordedHits: 0, estimatedTotalHits: 0 }],
      ['rd_unknown', { recordedHits: 0, estimatedTotalHits: 0 }],
    ]),
  );
  expect(await usage.usageOf([])).toEqual(new Map());
});

it('usage is remembered for a moment, and not into the next month', async () => {
  let queries = 0;
  const counting = {
    ...app.test.store,
    query: <Row extends object>(...args: Parameters<typeof app.test.store.query>) => {
      queries += 1;
      return app.test.store.query<Row>(...args);
    },
  };
  let now = new Date('2026-05-31T23:59:59.999Z');
  const usage = createUsageReader(counting, { clock: () => now, maxAgeMs: 3_600_000 });
  await app.record([{ redirect_id: 'rd_d', timestamp: '2026-06-01 00:00:00.000' }]);

  await usage.usageOf(['rd_d', 'rd_e']);
  await usage.usageOf(['rd_e', 'rd_d']);
  expect(queries).toBe(1);

  now = new Date('2026-06-01T00:00:00.000Z');
  expect((await usage.usageOf(['rd_d'])).get('rd_d')?.recordedHits).toBe(1);
  expect(queries).toBe(2);
});

it('usage is not waited for when the store is busy, and is there when it has answered', async () => {
  let answer = () => {};
  const free = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const busy = {
    ...app.test.store,
    query: async <Row extends object>(...args: Parameters<typeof app.test.store.query>) => {
      await free;
      return app.test.store.query<Row>(...args);
    },
  };
  const usage = createUsageReader(busy, { clock: () => NOW, timeoutMs: 10 });
  await expect(usage.usageOf(['rd_a'])).rejects.toThrow('no answer within 10 ms');
  answer();
  const patient = createUsageReader(busy, { clock: () => NOW });
  expect((await patient.usageOf(['rd_a'])).get('rd_a')?.recordedHits).toBe(2);
});
