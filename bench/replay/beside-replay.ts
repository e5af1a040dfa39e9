import { setTimeout as delay } from 'node:timers/promises';
import { openAnalyticsStore } from '../../controlplane/storage/clickhouse/client.js';
import { addGeneratedHits } from '../analytics/generated-hits.js';
import type { FixedRateResult } from '../load/fixed-rate.js';
import { loadAtFixedRate } from '../load/fixed-rate-load.js';
import { median, medianRatio, percentile } from '../measure/statistics.js';
import { callApi, type Product } from '../product/product.js';
import { startProductWithPast } from '../product/product-with-past.js';
import type { Bench } from '../scenarios/scenario.js';
import { requestsOf } from '../traffic/bench-request.js';
import { replayedDefinition } from './replay-workload.js';

/** Medians over the rounds. Ratios compare the p99s of the same round. */
export type BesideReplay = Awaited<ReturnType<typeof measureBesideReplay>>;

const HOST = 'replay.localhost';
const DESTINATION = 'https://destination.example/welcome';
const DAYS = 30;
const DAY_MS = 86_400_000;
/** Pause of the caller of the API after an answer. */
const API_PAUSE_MS = 20;
const FULL_PACE = { rounds: 5, secondsPerRound: 5, pastHits: 5_000_000 };
const QUICK_PACE = { rounds: 2, secondsPerRound: 2, pastHits: 500_000 };

interface Round {
  readonly visitors: FixedRateResult;
  readonly apiP99Ms: number;
}

/** Measures visitors and the API of the whole product in interleaved rounds, quiet and while a replay runs. */
export async function measureBesideReplay(bench: Bench) {
  const { rounds, secondsPerRound, pastHits } = bench.quick ? QUICK_PACE : FULL_PACE;
  bench.say('replay: preparing the product');
  const { product, redirectId } = await startProductWithPast(bench, {
    host: HOST,
    destination: DESTINATION,
    addPast: (dataDir, id) => addPast(dataDir, id, pastHits),
  });
  const quiet: Round[] = [];
  const busy: Round[] = [];
  let judged = 0;
  await measureRound(bench, product, secondsPerRound); // warms up
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`replay: round ${round} of ${rounds} beside visitors`);
    quiet.push(await measureRound(bench, product, secondsPerRound));
    const replays = startReplays(product, redirectId, pastHits);
    busy.push(await measureRound(bench, product, secondsPerRound));
    judged += await replays.stop();
  }
  await product.stop();
  const failed = [...quiet, ...busy].reduce((sum, { visitors }) => sum + visitors.failed, 0);
  if (failed > 0) throw new Error(`replay: ${failed} visitors had no answer`);
  const visitorsOf = (measured: readonly Round[]) => measured.map(({ visitors }) => visitors.p99Ms);
  const apiOf = (measured: readonly Round[]) => measured.map(({ apiP99Ms }) => apiP99Ms);
  return {
    visitorsP99Ms: middle(visitorsOf(busy)),
    visitorsQuietP99Ms: middle(visitorsOf(quiet)),
    visitorsP99Ratio: medianRatio(visitorsOf(busy), visitorsOf(quiet)) ?? Number.NaN,
    apiP99Ms: middle(apiOf(busy)),
    apiQuietP99Ms: middle(apiOf(quiet)),
    apiP99Ratio: medianRatio(apiOf(busy), apiOf(quiet)) ?? Number.NaN,
    judgedBesideVisitors: judged,
  };
}

async function addPast(dataDir: string, redirectId: string, count: number): Promise<void> {
  const store = await openAnalyticsStore({ dataDir });
  try {
    await addGeneratedHits(store, { redirectId, count, visitors: count, days: DAYS });
  } finally {
    await store.close();
  }
}

const REQUESTS = requestsOf(HOST, DESTINATION);

async function measureRound(bench: Bench, product: Product, seconds: number): Promise<Round> {
  const ending = new AbortController();
  const api = callRepeatedly(product, ending.signal);
  api.catch(() => {}); // awaited below
  const visitors = await loadAtFixedRate(bench, {
    port: product.redirectPort,
    requests: REQUESTS,
    seconds,
    // The product uses all cores. A load generator that used a whole core would distort the measurement.
    spins: false,
  });
  ending.abort();
  return { visitors, apiP99Ms: percentile(await api, 0.99) ?? Number.NaN };
}

/** Calls the API again and again. @returns the milliseconds of each answer */
async function callRepeatedly(product: Product, signal: AbortSignal): Promise<number[]> {
  const tookMs: number[] = [];
  while (!signal.aborted) {
    const startedAtMs = performance.now();
    await callApi(product, 'GET', '/get-redirects/me');
    tookMs.push(performance.now() - startedAtMs);
    await delay(API_PAUSE_MS);
  }
  return tookMs;
}

interface RunningReplay {
  readonly id: string;
  readonly state: string;
  readonly progress: number;
}

/** Replays all visits, again and again. `stop` resolves to the number of judged visits. */
function startReplays(product: Product, redirectId: string, visits: number): { stop(): Promise<number> } {
  const ending = new AbortController();
  const running = replayUntil(ending.signal, product, redirectId, visits);
  running.catch(() => {}); // awaited by stop()
  return {
    stop() {
      ending.abort();
      return running;
    },
  };
}

async function replayUntil(
  signal: AbortSignal,
  product: Product,
  redirectId: string,
  visits: number,
): Promise<number> {
  let judged = 0;
  while (!signal.aborted) {
    const { id } = await callApi<RunningReplay>(product, 'POST', `/redirects/${redirectId}/replay`, {
      draft: { rules: draftRules() },
      start: new Date(Date.now() - (DAYS + 1) * DAY_MS).toISOString(),
      end: new Date(Date.now() + DAY_MS).toISOString(),
    });
    let replay = await callApi<RunningReplay>(product, 'GET', `/replays/${id}`);
    while (!signal.aborted && ['queued', 'running'].includes(replay.state)) {
      await delay(10 * API_PAUSE_MS);
      replay = await callApi<RunningReplay>(product, 'GET', `/replays/${id}`);
    }
    if (replay.state === 'failed') throw new Error(`the replay failed: ${JSON.stringify(replay)}`);
    judged += Math.round(replay.progress * visits);
    if (signal.aborted) await callApi(product, 'POST', `/replays/${id}/cancel`);
  }
  return judged;
}

/** The rules of the workload `different`, as a draft has them. */
function draftRules(): readonly object[] {
  return (replayedDefinition('different').rules ?? []).map(({ id, conditions, conditionLogic, action }) => ({
    name: `rule ${id}`,
    type: action.type === 'ab_test' ? 'ab_experiment' : 'force',
    conditions,
    conditionLogic,
    action,
  }));
}

function middle(values: readonly number[]): number {
  return median(values) ?? Number.NaN;
}
