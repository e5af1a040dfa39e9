import type { FixedRateResult } from '../load/fixed-rate.js';
import { loadAtFixedRate } from '../load/fixed-rate-load.js';
import { median } from '../measure/statistics.js';
import { addPastHits } from '../product/past-hits.js';
import { callApi, type Product } from '../product/product.js';
import { startProductWithPast } from '../product/product-with-past.js';
import { type Column, formatTable, formatWhole } from '../report/table.js';
import { requestsOf } from '../traffic/bench-request.js';
import { DISTURBANCE_COLUMNS, requireNoFailure, summarizeDisturbance } from './disturbance.js';
import type { StallResult } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const HOST = 'stall.localhost';
const DESTINATION = 'https://destination.example/welcome';
/** Number of dashboards open at the same time. */
const DASHBOARDS = 4;
const FULL_PACE = { rounds: 5, secondsPerRound: 5, pastHits: 5_000_000 };
const QUICK_PACE = { rounds: 2, secondsPerRound: 2, pastHits: 500_000 };

/** Measures whether visitors notice that the embedded analytics store is busy in the same product. */
export const analyticsStall: Scenario = {
  name: 'stall',
  summary:
    'redirects of the whole product in one command, quiet and while dashboards keep its analytics busy',
  runs: 'full',
  async run(bench) {
    const pace = bench.quick ? QUICK_PACE : FULL_PACE;
    bench.say('stall: preparing the product');
    const { product, redirectId } = await startProductWithPast(bench, {
      host: HOST,
      destination: DESTINATION,
      addPast: (dataDir, id) => addPastHits(dataDir, id, pace.pastHits),
    });
    const quiet: FixedRateResult[] = [];
    const busy: FixedRateResult[] = [];
    const queryMs: number[] = [];
    await visit(bench, product, pace.secondsPerRound); // warms up
    for (let round = 1; round <= pace.rounds; round += 1) {
      bench.say(`stall: round ${round} of ${pace.rounds}`);
      quiet.push(await visit(bench, product, pace.secondsPerRound));
      const dashboards = openDashboards(product, redirectId);
      busy.push(await visit(bench, product, pace.secondsPerRound));
      queryMs.push(...(await dashboards.close()));
    }
    await product.stop();
    const rows = summarizeDisturbance(
      'stall',
      { state: 'under analytics', rounds: busy },
      { state: 'quiet', rounds: quiet },
    );
    requireNoFailure('stall', rows);
    const storedHits = pace.pastHits;
    const [during, before] = rows;
    const results: StallResult[] = [
      { ...during, storedHits, queries: queryMs.length, queryMs: median(queryMs) ?? null },
      { ...before, storedHits, queries: 0, queryMs: null },
    ];
    return { results, report: formatTable(COLUMNS, results) };
  },
};

const REQUESTS = requestsOf(HOST, DESTINATION);

function visit(bench: Bench, product: Product, seconds: number): Promise<FixedRateResult> {
  return loadAtFixedRate(bench, {
    port: product.redirectPort,
    requests: REQUESTS,
    seconds,
    // The product uses all cores. A load generator that used a whole core would distort the measurement.
    spins: false,
  });
}

/**
 * Runs several statistics queries in parallel, continuously. `close` stops them and resolves to the milliseconds of
 * each query.
 */
function openDashboards(product: Product, redirectId: string) {
  let isOpen = true;
  const base = `/analytics/redirect/${redirectId}/stats`;
  const watch = async () => {
    const tookMs: number[] = [];
    for (let turn = 0; isOpen; turn += 1) {
      const startedAtMs = performance.now();
      await callApi(product, 'GET', turn % 2 === 0 ? `${base}/basic` : `${base}/time?interval=hour`);
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

const COLUMNS: readonly Column<StallResult>[] = [
  ...DISTURBANCE_COLUMNS,
  { title: 'stored hits', cell: ({ storedHits }) => formatWhole(storedHits) },
  { title: 'queries', cell: ({ queries }) => formatWhole(queries) },
  { title: 'query ms', cell: ({ queryMs }) => (queryMs === null ? '–' : formatWhole(queryMs)) },
];
