import { expect, vi } from 'vitest';
import type { Visitors, Writers } from './crash-traffic.fixture.js';
import type { Product } from './product.fixture.js';
import { watchStalls } from './stall-watch.fixture.js';

/**
 * Hits recorded less than one flush interval (250 ms) before a crash may be lost. A busy machine may need twice as
 * long.
 */
const CRASH_WINDOW_MS = 500;
/** Between the interval and the disk: the timer, making the batch, writing it, noting that it is kept. */
const STEPS_OF_FLUSH = 4;

/** Minimum of answers that a crash must not lose. With fewer, the test might miss a loss. */
const SAFE_ANSWERS = 300;

/** When the product was killed. */
export interface Crash {
  /** By `performance.now()`. */
  readonly atMs: number;
  /** Answers within this time before the crash may be lost. */
  readonly windowMs: number;
}

/** Resolves when visitors and writers are busy, and many answers are old enough to survive a crash. */
export async function readyToCrash(visitors: Visitors, writers: Writers, dataDir: string): Promise<Crash> {
  const stalls = watchStalls(dataDir);
  const crashNow = (): Crash => ({
    atMs: performance.now(),
    windowMs: CRASH_WINDOW_MS + STEPS_OF_FLUSH * stalls.longestMs,
  });
  await inFullTraffic(visitors, writers);
  await vi.waitFor(
    () => {
      const { atMs, windowMs } = crashNow();
      expect(visitors.answeredAtMs[SAFE_ANSWERS]).toBeLessThan(atMs - windowMs);
    },
    { interval: 10 },
  );
  await stalls.stop();
  return crashNow();
}

/** Resolves when visitors and writers are busy. */
export async function inFullTraffic(visitors: Visitors, writers: Writers): Promise<void> {
  await vi.waitFor(
    () => {
      expect(visitors.answeredAtMs.length).toBeGreaterThan(800);
      expect(writers.written.size).toBeGreaterThan(15);
    },
    { interval: 10 },
  );
}

/** Everything that was acknowledged to the writers is there, and nothing of theirs failed. */
export async function expectWritten(product: Product, { written, wrong }: Writers): Promise<void> {
  expect(wrong).toEqual([]);
  const { body } = await product.api<{ id: string; toDomain: string }[]>('GET', '/get-redirects/me');
  const stored = new Map(body.map(({ id, toDomain }) => [id, toDomain]));
  const missing = [...written].filter(([id, destinations]) => !destinations.has(stored.get(id) ?? ''));
  expect(missing).toEqual([]);
}

/** Expects that every hit is stored exactly once, except hits of the last moments before the crash. */
export async function expectHits(
  product: Product,
  redirectId: string,
  visitors: Visitors,
  crash: Crash,
): Promise<void> {
  const { answeredAtMs, asked, wrong } = visitors;
  expect(wrong).toEqual([]);
  const { atMs, windowMs } = crash;
  const atRisk = answeredAtMs.filter((at) => at > atMs - windowMs && at <= atMs).length;
  const hits = await settledHits(product, redirectId);
  const facts = JSON.stringify({ answered: answeredAtMs.length, atRisk, windowMs, ...hits });
  expect(hits.stored, facts).toBeGreaterThanOrEqual(answeredAtMs.length - atRisk);
  expect(hits.stored).toBeLessThanOrEqual(asked);
  expect(hits.duplicated).toBe(0);
}

/** The value of a metric of the data plane, all its processes together. */
async function metricOf(product: Product, name: string): Promise<number> {
  const text = await (await fetch(`${product.adminAddress}/metrics`)).text();
  const series = [...text.matchAll(new RegExp(`^${name}\\{worker="\\d+"\\} (\\S+)$`, 'gm'))];
  expect(series.length, name).toBeGreaterThan(0);
  return series.reduce((sum, [, value]) => sum + Number(value), 0);
}

interface BasicStats {
  readonly data: { readonly totalHits: number };
  readonly meta: {
    readonly delivery: Readonly<Record<'recorded' | 'delivered' | 'duplicated' | 'lost', number>>;
  };
}

/** The statistics of the redirect once everything that was spooled is stored. */
export async function settledHits(product: Product, redirectId: string) {
  await vi.waitFor(
    async () => {
      for (const name of ['waymark_hits_buffered', 'waymark_hits_spooled', 'waymark_hit_spool_bytes']) {
        expect(await metricOf(product, name), name).toBe(0);
      }
    },
    { interval: 50 },
  );
  const { body } = await product.api<BasicStats>('GET', `/analytics/redirect/${redirectId}/stats/basic`);
  return { stored: body.data.totalHits, ...body.meta.delivery };
}
