import { MEASURED_ENDPOINTS, timeEndpoint } from '../analytics/endpoint-times.js';
import type { KeptTable } from '../analytics/kept-table.js';
import { startProductWithTable } from '../product/product-with-table.js';
import { type Column, formatTable, formatWhole } from '../report/table.js';
import { type EndpointResult, emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const GOAL_MS = 150;

interface Pace {
  readonly hits: number;
  readonly runs: number;
}

const QUICK_PACE: Pace = { hits: 60_000, runs: 2 };

/** Measures whether statistics are fast enough for interactive use, in a table that is filled within seconds. */
export const analytics: Scenario = {
  name: 'analytics',
  summary: 'every endpoint of statistics, of a redirect with half of the hits of a small table',
  run(bench) {
    const pace = bench.quick ? QUICK_PACE : { hits: 1_000_000, runs: 11 };
    return measure({ ...bench, dataDir: undefined }, 'analytics', pace);
  },
};

/** Measures whether statistics of a large redirect in a large table are fast enough for interactive use. */
export const analyticsEndpoints: Scenario = {
  name: 'analytics-endpoints',
  summary: 'every endpoint of statistics, of a redirect with ten million hits in a table of a hundred',
  runs: 'named',
  keepsTable: true,
  run: (bench) =>
    measure(bench, 'analytics-endpoints', bench.quick ? QUICK_PACE : { hits: 100_000_000, runs: 21 }),
};

async function measure(bench: Bench, scenario: string, pace: Pace) {
  const { runs } = pace;
  const say = (line: string) => bench.say(`${scenario}: ${line}`);
  const { product, table } = await startProductWithTable({ ...bench, say }, bench.hits ?? pace.hits);
  const { hits, hitsOfRedirect } = table;
  const rows: EndpointResult[] = [];
  for (const endpoint of MEASURED_ENDPOINTS) {
    say(endpoint);
    const times = await timeEndpoint({ product, ...table }, endpoint, runs);
    rows.push({ ...emptyRow(scenario), endpoint, ...times, goalMs: GOAL_MS, hitsOfRedirect, hits });
  }
  await product.stop();
  const results = [slowestOf(rows), ...rows];
  return { results, report: `${formatTable(COLUMNS, results)}\n\n${notesOf(table, runs)}` };
}

function slowestOf(rows: readonly EndpointResult[]): EndpointResult {
  const slowest = rows.reduce((one, other) => (other.p95Ms > one.p95Ms ? other : one));
  return { ...slowest, endpoint: 'slowest' };
}

function notesOf({ hits, hitsOfRedirect, days }: KeptTable, runs: number): string {
  return [
    `- ${formatWhole(hits)} hits, ${formatWhole(hitsOfRedirect)} of them of the redirect that is asked about, in ${days} days.`,
    `- ${runs} answers each, over HTTP, one after another, from the embedded store, which runs two statements at a time with two threads each.`,
    '- CPU ms is the processor time of the whole product for an answer.',
    '- `hits/export` is left out: it takes as long as there are hits to send.',
  ].join('\n');
}

const COLUMNS: readonly Column<EndpointResult>[] = [
  { title: 'endpoint', isText: true, cell: ({ endpoint }) => endpoint },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatWhole(p50Ms ?? Number.NaN) },
  { title: 'p95 ms', cell: ({ p95Ms }) => formatWhole(p95Ms) },
  { title: 'CPU ms', cell: ({ cpuMs }) => formatWhole(cpuMs) },
  { title: 'goal ms', cell: ({ goalMs }) => formatWhole(goalMs) },
  { title: 'met', isText: true, cell: ({ p95Ms, goalMs }) => (p95Ms <= goalMs ? 'yes' : 'no') },
];
