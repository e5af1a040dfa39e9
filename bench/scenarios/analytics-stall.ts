import { runAtFixedRate } from '../load/fixed-rate.js';
import type { LoadResult } from '../load/load-generator.js';
import { median, medianRatio } from '../measure/statistics.js';
import { addPastHits } from '../product/past-hits.js';
import { callApi, type Product } from '../product/product.js';
import { startProductWithPast } from '../product/product-with-past.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { type BenchRequest, benchRequests, forwardedLocation } from '../traffic/bench-request.js';
import type { Scenario, StallResult } from './scenario.js';

const HOST = 'stall.localhost';
const DESTINATION = 'https://destination.example/welcome';
const CONNECTIONS = 64;
const REQUESTS_PER_SECOND = 1_000;
/** Dashboards that are open at once. */
const DASHBOARDS = 4;
const FULL_PACE = { rounds: 5, secondsPerRound: 5, pastHits: 5_000_000 };
const QUICK_PACE = { rounds: 2, secondsPerRound: 2, pastHits: 500_000 };

/** Whether visitors notice that the embedded analytics store is busy in the same product. */
export const analyticsStall: Scenario = {
  name: 'stall',
  summary:
    'redirects of the whole product in one command, quiet and while dashboards keep its analytics busy',
  async run(bench) {
    const pace = bench.quick ? QUICK_PACE : FULL_PACE;
    bench.say('stall: preparing the product');
    const { product, token, redirectId } = await startProductWithPast(bench, {
      host: HOST,
      destination: DESTINATION,
      addPast: (dataDir, id) => addPastHits(dataDir, id, pace.pastHits),
    });
    const quiet: LoadResult[] = [];
    const busy: LoadResult[] = [];
    const queryMs: number[] = [];
    await visit(product, pace.secondsPerRound); // warms up
    for (let round = 1; round <= pace.rounds; round += 1) {
      bench.say(`stall: round ${round} of ${pace.rounds}`);
      quiet.push(await visit(product, pace.secondsPerRound));
      const dashboards = openDashboards(product, token, redirectId);
      busy.push(await visit(product, pace.secondsPerRound));
      queryMs.push(...(await dashboards.close()));
    }
    await product.stop();
    const results = [
      summarize('quiet', quiet, quiet, pace.pastHits, []),
      summarize('under analytics', busy, quiet, pace.pastHits, queryMs),
    ];
    return { results, report: formatTable(COLUMNS, results) };
  },
};

const REQUESTS: readonly BenchRequest[] = benchRequests(10_000).map(({ target }) => ({
  host: HOST,
  target,
  destination: DESTINATION,
}));

function visit(product: Product, seconds: number): Promise<LoadResult> {
  return runAtFixedRate({
    server: 'waymark',
    port: product.redirectPort,
    requests: REQUESTS,
    connections: CONNECTIONS,
    requestsPerSecond: REQUESTS_PER_SECOND,
    seconds,
    expectedLocation: forwardedLocation,
  });
}

interface Dashboards {
  /** Ends with what each query took, in milliseconds. */
  close(): Promise<number[]>;
}

/** Asks for statistics without a pause, several at a time. */
function openDashboards(product: Product, token: string, redirectId: string): Dashboards {
  let isOpen = true;
  const base = `/analytics/redirect/${redirectId}/stats`;
  const watch = async () => {
    const tookMs: number[] = [];
    for (let turn = 0; isOpen; turn += 1) {
      const startedAtMs = performance.now();
      await callApi(product, token, 'GET', turn % 2 === 0 ? `${base}/basic` : `${base}/time?interval=hour`);
      tookMs.push(performance.now() - startedAtMs);
    }
    return tookMs;
  };
  const watching = Promise.all(Array.from({ length: DASHBOARDS }, watch));
  watching.catch(() => {}); // told by close()
  return {
    async close() {
      isOpen = false;
      return (await watching).flat();
    },
  };
}

function summarize(
  state: StallResult['state'],
  rounds: readonly LoadResult[],
  quiet: readonly LoadResult[],
  storedHits: number,
  queryMs: readonly number[],
): StallResult {
  const p99s = (results: readonly LoadResult[]) => results.map(({ p99Ms }) => p99Ms);
  return {
    scenario: 'stall',
    server: 'waymark',
    state,
    requestsPerSecond: REQUESTS_PER_SECOND,
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)) ?? Number.NaN,
    p99Ms: median(p99s(rounds)) ?? Number.NaN,
    ratioToQuiet: medianRatio(p99s(rounds), p99s(quiet)) ?? Number.NaN,
    storedHits,
    queries: queryMs.length,
    queryMs: median(queryMs) ?? null,
  };
}

const COLUMNS: readonly Column<StallResult>[] = [
  { title: 'analytics', isText: true, cell: ({ state }) => state },
  { title: 'redirects / s', cell: ({ requestsPerSecond }) => formatWhole(requestsPerSecond) },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'p99 × quiet', cell: ({ ratioToQuiet }) => formatDecimal(ratioToQuiet) },
  { title: 'stored hits', cell: ({ storedHits }) => formatWhole(storedHits) },
  { title: 'queries', cell: ({ queries }) => formatWhole(queries) },
  { title: 'query ms', cell: ({ queryMs }) => (queryMs === null ? '–' : formatWhole(queryMs)) },
];
