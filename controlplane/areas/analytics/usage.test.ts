import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newId } from '../../storage/postgres/new-id.js';
import { type AnalyticsApp, createAnalyticsApp, NOW } from './analytics-app.fixture.js';
import { createUsageReader } from './usage.js';

/** Maximum size of a parameter of ClickHouse, in bytes. */
const LONGEST_PARAMETER = 128 * 1024;

/** However busy the machine is. */
const PATIENT = { clock: () => NOW, timeoutMs: 20_000 };

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

/** The store, and the redirects of each query. */
function counting() {
  const asked: unknown[] = [];
  const store = {
    ...app.test.store,
    query: <Row extends object>(...args: Parameters<typeof app.test.store.query>) => {
      asked.push(args[1]?.redirects);
      return app.test.store.query<Row>(...args);
    },
  };
  return { store, asked };
}

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
  const usage = createUsageReader(app.test.store, PATIENT);
  expect((await usage.usageOf(['rd_b', 'rd_a', 'rd_c', 'rd_unknown', 'rd_a'])).usage).toEqual(
    new Map([
      ['rd_b', { recordedHits: 1, estimatedTotalHits: 10 }],
      ['rd_a', { recordedHits: 2, estimatedTotalHits: 4 }],
      ['rd_c', { recordedHits: 0, estimatedTotalHits: 0 }],
      ['rd_unknown', { recordedHits: 0, estimatedTotalHits: 0 }],
    ]),
  );
  expect((await usage.usageOf([])).usage).toEqual(new Map());
});

it('usage is remembered for a moment, and not into the next month', async () => {
  const { store, asked } = counting();
  let now = new Date('2026-05-31T23:59:59.999Z');
  const usage = createUsageReader(store, { ...PATIENT, clock: () => now, maxAgeMs: 3_600_000 });
  await app.record([{ redirect_id: 'rd_d', timestamp: '2026-06-01 00:00:00.000' }]);

  await usage.usageOf(['rd_d', 'rd_e']);
  await usage.usageOf(['rd_e', 'rd_d']);
  expect(asked).toHaveLength(1);

  now = new Date('2026-06-01T00:00:00.000Z');
  expect((await usage.usageOf(['rd_d'])).usage.get('rd_d')?.recordedHits).toBe(1);
  expect(asked).toHaveLength(2);
});

it('what was used until the month turned is not told of the new one', async () => {
  const { store } = counting();
  let now = new Date('2026-07-31T23:59:59.999Z');
  await app.record([{ redirect_id: 'rd_f', timestamp: '2026-07-10 12:00:00.000' }]);
  const context = createUsageReader(store, { ...PATIENT, clock: () => now }).usageOf(['rd_f']);
  await new Promise((resolve) => setImmediate(resolve));
  now = new Date('2026-08-01T00:00:00.000Z');
  const { usage, freshUntilMs } = await context;
  expect(usage.get('rd_f')?.recordedHits).toBe(0);
  expect(freshUntilMs).toBe(0);
});

it('no query asks for more redirects than a server takes as one parameter', async () => {
  const { store, asked } = counting();
  const ids = Array.from({ length: 10_000 }, () => newId());
  const { usage } = await createUsageReader(store, PATIENT).usageOf(ids);
  expect(usage.size).toBe(ids.length);
  expect(Math.max(...asked.map((one) => JSON.stringify(one).length))).toBeLessThan(LONGEST_PARAMETER);
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
  const late = await usage.usageOf(['rd_a']);
  expect(late.usage.get('rd_a')?.recordedHits).toBe(0);
  expect(late.problem).toMatchObject({ message: 'no answer within 10 ms' });
  expect(late.freshUntilMs).toBe(0);
  answer();
  await vi.waitFor(async () => {
    const { usage: known, problem } = await usage.usageOf(['rd_a']);
    expect(known.get('rd_a')?.recordedHits).toBe(2);
    expect(problem).toBeUndefined();
  });
});

it('nobody waits for a store that did not answer last time, and the last usage is given', async () => {
  let isHung = false;
  const store = {
    ...app.test.store,
    query: <Row extends object>(...args: Parameters<typeof app.test.store.query>) =>
      isHung ? new Promise<never>(() => {}) : app.test.store.query<Row>(...args),
  };
  const usage = createUsageReader(store, { clock: () => NOW, maxAgeMs: 0, timeoutMs: 3_000 });
  await usage.usageOf(['rd_a']);
  isHung = true;
  const { usage: last, problem } = await usage.usageOf(['rd_a']);
  expect(last.get('rd_a')?.recordedHits).toBe(2);
  expect(problem).toBeDefined();
  const isAnswered = vi.fn();
  void usage.usageOf(['rd_a', 'rd_b']).then(isAnswered);
  // Before any timer can fire.
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toHaveBeenCalled();
});

it('many who ask at once are told by one query, which asks for each redirect once', async () => {
  const { store, asked } = counting();
  const usage = createUsageReader(store, PATIENT);
  const readings = await Promise.all([
    usage.usageOf(['rd_a', 'rd_b']),
    usage.usageOf(['rd_b', 'rd_c']),
    usage.usageOf(['rd_a']),
  ]);
  expect(readings.map((reading) => [...reading.usage.keys()])).toEqual([
    ['rd_a', 'rd_b'],
    ['rd_b', 'rd_c'],
    ['rd_a'],
  ]);
  expect(asked).toEqual([['rd_a', 'rd_b', 'rd_c']]);
});

it('who asks while the answer is on its way waits for that one', async () => {
  const { store, asked } = counting();
  const usage = createUsageReader(store, PATIENT);
  const first = usage.usageOf(['rd_a']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(1);
  const [one, other] = await Promise.all([first, usage.usageOf(['rd_a'])]);
  expect(other).toEqual(one);
  expect(asked).toHaveLength(1);
});

it('says until when it is fresh: the oldest of what it tells decides', async () => {
  const usage = createUsageReader(app.test.store, { ...PATIENT, maxAgeMs: 3_600_000 });
  const one = await usage.usageOf(['rd_a']);
  const both = await usage.usageOf(['rd_b', 'rd_a']);
  expect(one.freshUntilMs).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect(both.freshUntilMs).toBe(one.freshUntilMs);
});

it('a failure of the store is told to everyone who waits, and the next one asks again', async () => {
  let isAway = true;
  const store = {
    ...app.test.store,
    query: async <Row extends object>(...args: Parameters<typeof app.test.store.query>) => {
      if (isAway) throw new Error('the store is away');
      return app.test.store.query<Row>(...args);
    },
  };
  const usage = createUsageReader(store, PATIENT);
  const asked = await Promise.all([usage.usageOf(['rd_a']), usage.usageOf(['rd_a', 'rd_b'])]);
  for (const { problem } of asked) expect(problem).toMatchObject({ message: 'the store is away' });
  isAway = false;
  await vi.waitFor(async () =>
    expect((await usage.usageOf(['rd_a'])).usage.get('rd_a')?.recordedHits).toBe(2),
  );
});

it('a reader that hears of hits asks again only after some', async () => {
  const { store, asked } = counting();
  const usage = createUsageReader(store, { ...PATIENT, hearsOfHits: true, maxAgeMs: 0 });
  const hitsOf = async (id: string) => (await usage.usageOf([id])).usage.get(id)?.recordedHits;
  expect(await hitsOf('rd_heard')).toBe(0);
  expect(await hitsOf('rd_heard')).toBe(0);
  expect(asked).toHaveLength(1);
  await app.record([{ redirect_id: 'rd_heard', timestamp: '2026-03-10 12:00:00.000' }]);
  usage.noteHits(['rd_heard', 'rd_other']);
  expect(await hitsOf('rd_heard')).toBe(1);
  expect(await hitsOf('rd_heard')).toBe(1);
  expect(asked).toHaveLength(2);
});

it('hits that are stored while usage is read make it be read again', async () => {
  const { store, asked } = counting();
  const usage = createUsageReader(store, { ...PATIENT, hearsOfHits: true, maxAgeMs: 0 });
  const first = usage.usageOf(['rd_meanwhile']);
  await vi.waitFor(() => expect(asked).toHaveLength(1), { interval: 1 });
  usage.noteHits(['rd_meanwhile']);
  await first;
  await usage.usageOf(['rd_meanwhile']);
  expect(asked).toHaveLength(2);
});
