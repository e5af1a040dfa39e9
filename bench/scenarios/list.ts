import os from 'node:os';
import { until } from '../../deploy/faults/until.js';
import { LIMIT, LIST_CALLS, type ListCallName, timeListCall } from '../lists/list-calls.js';
import { seedLongList } from '../lists/seed-list.js';
import { runClosedLoop } from '../load/closed-loop.js';
import { readUsage } from '../measure/process-usage.js';
import { median, percentile } from '../measure/statistics.js';
import { createApiClient } from '../million/api-client.js';
import { type Installation, onInstallation } from '../million/installation.js';
import { startTogether } from '../million/starts.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'list';
const CALLERS = 16;
const FULL = { redirects: 1_000_000, calls: 100, rounds: 5, secondsPerRound: 3 };
const QUICK = { redirects: 50_000, calls: 10, rounds: 3, secondsPerRound: 1 };
const INDEX_LIMIT_MS = 600_000;

/** `firstPageP95Ms` and so on, from a caller who calls one after another. */
type ListFigures = { readonly [K in `${ListCallName}P95Ms`]: number };

/** Measures the list of a user with very many redirects, in a database that also holds other users' redirects. */
export const list: Scenario = {
  name: SCENARIO,
  runs: 'full',
  summary: '`GET /redirects` of one user with 1,000,000 redirects (50,000 with --quick) on PostgreSQL',
  ...onInstallation(measure, report),
};

async function measure(bench: Bench, installation: Installation) {
  const pace = bench.quick ? QUICK : FULL;
  const { redirects, calls } = pace;
  const {
    database,
    controlplanes: [controlplane],
  } = installation;
  const [loadAverage = Number.NaN] = os.loadavg();
  await startTogether([controlplane]);
  // Wait for the text index, which is built after the start. Seeding during its build would take twice as long.
  await until(() => hasIndex(installation), { timeoutMs: INDEX_LIMIT_MS, what: 'the index of texts' });
  await database.session((connection) =>
    seedLongList(connection, redirects, (rows) =>
      bench.say(`${SCENARIO}: ${formatWhole(rows)} redirects seeded`),
    ),
  );
  const client = createApiClient(controlplane.port, CALLERS);
  try {
    const figures: [string, number][] = [];
    for (const call of LIST_CALLS) {
      bench.say(`${SCENARIO}: ${call.title}`);
      const tookMs = await timeListCall(client, call, { calls, redirects });
      figures.push([`${call.name}P95Ms`, percentile(tookMs, 0.95) ?? Number.NaN]);
    }
    bench.say(`${SCENARIO}: ${CALLERS} callers of the first page`);
    let read = 0;
    const cpuUs: number[] = [];
    const perSecond: number[] = [];
    const url = `/redirects?limit=${LIMIT}`;
    const callOnce = async () => {
      const { data } = await client.call<{ data: readonly unknown[] }>('GET', url);
      if (data.length !== LIMIT) throw new Error(`list: ${url} answered ${data.length} redirects`);
      read += 1;
    };
    await runClosedLoop(CALLERS, pace.secondsPerRound, callOnce);
    for (let round = 0; round < pace.rounds; round += 1) {
      const before = await readUsage(controlplane.pid);
      const { completed, requestsPerSecond } = await runClosedLoop(CALLERS, pace.secondsPerRound, callOnce);
      const after = await readUsage(controlplane.pid);
      cpuUs.push(((after.cpuSeconds - before.cpuSeconds) * 1e6) / completed);
      perSecond.push(requestsPerSecond);
    }
    const cpuUsPerRequest = median(cpuUs) ?? Number.NaN;
    return {
      ...emptyRow(SCENARIO),
      redirects,
      loadAverage,
      cpuUsPerRequest,
      requestsPerSecond: median(perSecond) ?? null,
      requestsPerSecondPerCore: 1e6 / cpuUsPerRequest,
      answersChecked: read + LIST_CALLS.length * calls,
      ...(Object.fromEntries(figures) as ListFigures),
      slowestP95Ms: Math.max(...figures.map(([, p95Ms]) => p95Ms)),
    };
  } finally {
    client.leave();
  }
}

async function hasIndex({ database }: Installation): Promise<boolean> {
  const [row] = await database.query<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('redirects_searched_text_of_user')",
  );
  return row?.valid === true;
}

function report(result: Awaited<ReturnType<typeof measure>>): string {
  const columns: readonly Column<{ readonly title: string; readonly name: ListCallName }>[] = [
    { title: 'call', isText: true, cell: ({ title }) => title },
    { title: 'p95 ms', cell: ({ name }) => formatDecimal(result[`${name}P95Ms`]) },
  ];
  return `${formatTable(columns, LIST_CALLS)}

- ${formatWhole(result.redirects)} redirects of one user. Each call reads a page of ${LIMIT}, one after another.
- The first page, ${CALLERS} callers: ${formatWhole(result.requestsPerSecondPerCore)} requests a second and core
  (${formatWhole(result.cpuUsPerRequest)} µs of the control plane each; PostgreSQL is another process).
- The load average was ${formatDecimal(result.loadAverage)} at the beginning.`;
}
