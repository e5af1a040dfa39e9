import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../shared/process/error-facts.js';
import type { Api } from '../api.js';
import { type Load, startLoad } from '../load/load.js';
import { movingDestination } from '../load/load-messages.js';
import { createRedirects, MOVING_HOSTS, type Redirects, STEADY_HOSTS } from '../redirects.js';
import { createServerFolder } from '../servers/server-folder.js';
import { until } from '../until.js';
import { sumOf } from '../verdict.js';
import { type MemorySample, readMemory, slopePerHour } from './memory-trend.js';
import { type SoakProduct, startSoakProduct } from './soak-product.js';

export interface SoakPlan {
  readonly minutes: number;
  /** Visits a second. */
  readonly rate: number;
  readonly workers: number;
  readonly print: (line: string) => void;
}

const ROUND_MS = 1_000;
const SAMPLE_EVERY_MS = 10_000;
const REPORT_EVERY_MS = 60_000;
const START_TIMEOUT_MS = 60_000;
const SETTLE_STALL_MS = 120_000;

/** Memory of each process, by its name. */
type Memory = ReadonlyMap<string, readonly MemorySample[]>;

/**
 * Runs the product under a steady load.
 *
 * @returns whether every visit was answered correctly and is stored once
 */
export async function soak({ minutes, rate, workers, print }: SoakPlan): Promise<boolean> {
  const folder = await createServerFolder(false);
  const product = await startSoakProduct(folder, workers);
  try {
    const redirects = await createRedirects(product.api);
    await until(
      async () => (await product.metric('waymark_ruleset_hosts')) === redirects.all.length * workers,
      {
        timeoutMs: START_TIMEOUT_MS,
        what: 'serving of all redirects',
      },
    );
    const load = await startLoad({
      ports: [product.redirectPort],
      requestsPerSecond: rate,
      steadyHosts: STEADY_HOSTS,
      movingHosts: MOVING_HOSTS,
      paddingBytes: 0,
    });
    try {
      const memory = await watch({ product, load, redirects, print, durationMs: minutes * 60_000 });
      return await compare({ product, load, redirects, print }, memory);
    } finally {
      load.close();
    }
  } finally {
    await product.server.terminate();
    folder.remove();
  }
}

interface Run extends Pick<SoakPlan, 'print'> {
  readonly product: SoakProduct;
  readonly load: Load;
  readonly redirects: Redirects;
}

/** Changes redirects, reads statistics and samples memory until the end. */
async function watch({
  product,
  load,
  redirects,
  print,
  durationMs,
}: Run & { durationMs: number }): Promise<Memory> {
  const memory = new Map<string, MemorySample[]>();
  const startedMs = performance.now();
  let [sampledMs, reportedMs] = [-Infinity, startedMs];
  let refused = 0;
  for (let counter = 1; performance.now() - startedMs < durationMs; counter += 1) {
    refused += await useApi(product.api, redirects, counter, print);
    const nowMs = performance.now();
    if (nowMs - sampledMs >= SAMPLE_EVERY_MS) {
      sampledMs = nowMs;
      await sample(product, memory, nowMs - startedMs);
    }
    if (nowMs - reportedMs >= REPORT_EVERY_MS) {
      reportedMs = nowMs;
      const { planes } = await load.stats();
      const sizes = [...memory].map(([name, samples]) => `${name} ${mib(samples.at(-1)?.pssMib)}`);
      print(
        `${Math.round((nowMs - startedMs) / 60_000)} min: answered ${planes[0]?.answered}, failed ${planes[0]?.failed}, calls refused ${refused}, PSS ${sizes.join(', ')}`,
      );
    }
    await delay(ROUND_MS);
  }
  return memory;
}

/** @returns the number of failed calls */
async function useApi(
  api: Api,
  { moving, all }: Redirects,
  counter: number,
  print: SoakPlan['print'],
): Promise<number> {
  const host = counter % moving.length;
  const change = { toDomain: movingDestination(host, counter) };
  const statistics = `/analytics/redirect/${all[counter % all.length]}/stats/${counter % 2 === 0 ? 'basic' : 'geo'}`;
  const calls = [api.call('PUT', `/update/${moving[host]}`, change), api.call('GET', statistics)];
  const answers = await Promise.all(
    calls.map((call) => call.catch((error) => ({ status: messageOf(error) }))),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status } of refused) print(`a call of the API was answered ${status}`);
  return refused.length;
}

async function sample(
  product: SoakProduct,
  memory: Map<string, MemorySample[]>,
  atMs: number,
): Promise<void> {
  for (const { name, pid } of await product.processes()) {
    const samples = memory.get(name) ?? [];
    samples.push(await readMemory(pid, atMs));
    memory.set(name, samples);
  }
}

/** Waits for the last hits, and compares. */
async function compare({ product, load, redirects, print }: Run, memory: Memory): Promise<boolean> {
  const stats = await load.finish();
  const finishedMs = performance.now();
  const [answered, failed, wrong] = [sumOf(stats, 'answered'), sumOf(stats, 'failed'), sumOf(stats, 'wrong')];
  const stored = await settledHits(product.api, redirects, answered);
  const [recorded, delivered, spooled, dropped] = await Promise.all(
    ['recorded_total', 'delivered_total', 'spooled', 'dropped_total'].map((name) =>
      product.metric(`waymark_hits_${name}`),
    ),
  );
  print(`visits answered ${answered}, failed ${failed}, wrong ${wrong}, p99 ${stats.planes[0]?.p99Ms} ms`);
  print(
    `hits recorded ${recorded}, delivered ${delivered}, spooled ${spooled}, dropped ${dropped}, stored ${stored} after ${Math.round((performance.now() - finishedMs) / 1_000)} s`,
  );
  for (const [name, samples] of memory) print(`memory of ${name}: ${trendOf(samples)}`);
  const isRight = failed === 0 && wrong === 0 && stored === answered;
  print(isRight ? 'every visit was answered and is stored once' : 'visits and hits do not match');
  if (!isRight) print(await product.log());
  return isRight;
}

/** Returns the number of stored hits when it is `expected`, or when it has not grown for a while. Hits may come late. */
async function settledHits(api: Api, redirects: Redirects, expected: number): Promise<number> {
  let [most, grewMs] = [0, performance.now()];
  for (;;) {
    const stored = await storedHits(api, redirects);
    if (stored > most) [most, grewMs] = [stored, performance.now()];
    if (stored >= expected || performance.now() - grewMs > SETTLE_STALL_MS) return stored;
    await delay(ROUND_MS);
  }
}

async function storedHits(api: Api, { all }: Redirects): Promise<number> {
  let sum = 0;
  for (const id of all) {
    const { body } = await api.call<{ data: { totalHits: number } }>(
      'GET',
      `/analytics/redirect/${id}/stats/basic`,
    );
    sum += body.data.totalHits;
  }
  return sum;
}

/** Caches fill in the first half of a run. */
function trendOf(samples: readonly MemorySample[]): string {
  const half = samples.slice(samples.length >> 1);
  const of = (kind: 'rssMib' | 'pssMib') =>
    `${mib(samples[0]?.[kind])} at first, ${mib(samples.at(-1)?.[kind])} at last, in the second half ${slopePerHour(half, kind).toFixed(1)} MiB an hour`;
  return `RSS ${of('rssMib')}; PSS ${of('pssMib')}`;
}

const mib = (value: number | undefined) => `${Math.round(value ?? 0)} MiB`;
