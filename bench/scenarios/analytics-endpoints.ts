import { MEASURED_ENDPOINTS, timeEndpoint } from '../analytics/endpoint-times.js';
import { fillLargeTable } from '../analytics/large-table.js';
import { startProductWithPast } from '../product/product-with-past.js';
import { type Column, formatTable, formatWhole } from '../report/table.js';
import { type EndpointResult, emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const MAX_HITS_OF_REDIRECT = 10_000_000;
const OTHER_REDIRECTS = 5_000;
const DAYS = 30;
const GOAL_MS = 150;

interface Pace {
  readonly hits: number;
  readonly runs: number;
}

const QUICK_PACE: Pace = { hits: 200_000, runs: 3 };

/** Whether statistics are answered while somebody waits, in a table that is filled in within seconds. */
export const analytics: Scenario = {
  name: 'analytics',
  summary: 'every endpoint of statistics, of a redirect with half of the hits of a small table',
  run: (bench) => measure(bench, 'analytics', bench.quick ? QUICK_PACE : { hits: 1_000_000, runs: 11 }),
};

/** The same of a large redirect in a large table. */
export const analyticsEndpoints: Scenario = {
  name: 'analytics-endpoints',
  summary: 'every endpoint of statistics, of a redirect with ten million hits in a table of a hundred',
  runs: 'named',
  run: (bench) =>
    measure(bench, 'analytics-endpoints', bench.quick ? QUICK_PACE : { hits: 100_000_000, runs: 21 }),
};

async function measure(bench: Bench, scenario: string, pace: Pace) {
  const { runs } = pace;
  const hits = bench.hits ?? pace.hits;
  const hitsOfRedirect = Math.min(MAX_HITS_OF_REDIRECT, Math.ceil(hits / 2));
  bench.say(`${scenario}: filling in ${formatWhole(hits)} hits`);
  const filled = await startProductWithPast(bench, {
    host: 'large.localhost',
    destination: 'https://destination.example/',
    addPast: (dataDir, redirectId) =>
      fillLargeTable(dataDir, {
        redirectId,
        hitsOfRedirect,
        hits,
        otherRedirects: OTHER_REDIRECTS,
        days: DAYS,
        say: (line) => bench.say(`${scenario}: ${line}`),
      }),
  });
  const rows: EndpointResult[] = [];
  for (const endpoint of MEASURED_ENDPOINTS) {
    bench.say(`${scenario}: ${endpoint}`);
    const times = await timeEndpoint(filled, endpoint, runs);
    rows.push({ ...emptyRow(scenario), endpoint, ...times, goalMs: GOAL_MS, hitsOfRedirect, hits });
  }
  await filled.product.stop();
  const results = [slowestOf(rows), ...rows];
  return { results, report: `${formatTable(COLUMNS, results)}\n\n${notesOf(hits, hitsOfRedirect, runs)}` };
}

function slowestOf(rows: readonly EndpointResult[]): EndpointResult {
  const slowest = rows.reduce((one, other) => (other.p95Ms > one.p95Ms ? other : one));
  return { ...slowest, endpoint: 'slowest' };
}

function notesOf(hits: number, hitsOfRedirect: number, runs: number): string {
  return [
    `- ${formatWhole(hits)} hits, ${formatWhole(hitsOfRedirect)} of them of the redirect that is asked about, in ${DAYS} days.`,
    `- ${runs} answers each, over HTTP, one after another, from the embedded store, which reads with two threads.`,
    '- `hits/export` is left out: it takes as long as there are hits to send.',
  ].join('\n');
}

const COLUMNS: readonly Column<EndpointResult>[] = [
  { title: 'endpoint', isText: true, cell: ({ endpoint }) => endpoint },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatWhole(p50Ms ?? Number.NaN) },
  { title: 'p95 ms', cell: ({ p95Ms }) => formatWhole(p95Ms) },
  { title: 'goal ms', cell: ({ goalMs }) => formatWhole(goalMs) },
  { title: 'met', isText: true, cell: ({ p95Ms, goalMs }) => (p95Ms <= goalMs ? 'yes' : 'no') },
];
