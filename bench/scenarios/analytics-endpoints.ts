import { MEASURED_ENDPOINTS, timeEndpoint } from '../analytics/endpoint-times.js';
import { fillLargeTable } from '../analytics/large-table.js';
import { startProductWithPast } from '../product/product-with-past.js';
import { type Column, formatTable, formatWhole } from '../report/table.js';
import type { EndpointResult, Scenario } from './scenario.js';

const FULL_PACE = { hits: 100_000_000, runs: 21 };
const QUICK_PACE = { hits: 200_000, runs: 5 };
const MAX_HITS_OF_REDIRECT = 10_000_000;
const OTHER_REDIRECTS = 5_000;
const DAYS = 30;
const GOAL_MS = 150;

/** Whether statistics of a large redirect in a large table are answered while somebody waits. */
export const analyticsEndpoints: Scenario = {
  name: 'analytics-endpoints',
  summary: 'every endpoint of statistics, of a redirect with ten million hits in a table of a hundred',
  onRequest: true,
  async run(bench) {
    const { hits: usualHits, runs } = bench.quick ? QUICK_PACE : FULL_PACE;
    const hits = bench.hits ?? usualHits;
    const hitsOfRedirect = Math.min(MAX_HITS_OF_REDIRECT, Math.ceil(hits / 2));
    bench.say(`analytics-endpoints: filling in ${formatWhole(hits)} hits`);
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
        }),
    });
    const results: EndpointResult[] = [];
    for (const endpoint of MEASURED_ENDPOINTS) {
      bench.say(`analytics-endpoints: ${endpoint}`);
      const times = await timeEndpoint(filled, endpoint, runs);
      const scenario = 'analytics-endpoints';
      results.push({ scenario, endpoint, ...times, goalMs: GOAL_MS, hitsOfRedirect, hits });
    }
    await filled.product.stop();
    return { results, report: `${formatTable(COLUMNS, results)}\n\n${notesOf(hits, hitsOfRedirect, runs)}` };
  },
};

function notesOf(hits: number, hitsOfRedirect: number, runs: number): string {
  return [
    `- ${formatWhole(hits)} hits, ${formatWhole(hitsOfRedirect)} of them of the redirect that is asked about, in ${DAYS} days.`,
    `- ${runs} answers each, over HTTP, one after another, from the embedded store, which reads with one thread.`,
    '- `hits/export` is left out: it takes as long as there are hits to send.',
  ].join('\n');
}

const COLUMNS: readonly Column<EndpointResult>[] = [
  { title: 'endpoint', isText: true, cell: ({ endpoint }) => endpoint },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatWhole(p50Ms) },
  { title: 'p95 ms', cell: ({ p95Ms }) => formatWhole(p95Ms) },
  { title: 'goal ms', cell: ({ goalMs }) => formatWhole(goalMs) },
  { title: 'met', isText: true, cell: ({ p95Ms, goalMs }) => (p95Ms <= goalMs ? 'yes' : 'no') },
];
