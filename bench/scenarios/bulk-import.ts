import os from 'node:os';
import { type BulkRow, bulkRows, createInBulk, importRows } from '../lists/bulk-calls.js';
import type { FixedRateResult } from '../load/fixed-rate.js';
import { loadAtFixedRate } from '../load/fixed-rate-load.js';
import { readUsage } from '../measure/process-usage.js';
import { createApiClient } from '../million/api-client.js';
import { describeSharing, type Installation, onInstallation } from '../million/installation.js';
import { startTogether } from '../million/starts.js';
import type { Role } from '../product/roles.js';
import { createVisitor } from '../product/visitor.js';
import { formatDecimal, formatFigures, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'bulk-import';
const ROWS_PER_REQUEST = 10_000;
const VISITED_HOSTS = 1_000;
const VISITS_PER_SECOND = 500;
const CONNECTIONS = 64;
const FULL = { requests: 10, imported: 1_000_000, quietSeconds: 10 };
const QUICK = { requests: 1, imported: 20_000, quietSeconds: 2 };
/** Visitors stop before the import ends, even if it is somewhat faster than the bulk requests. */
const SHARE_OF_IMPORT = 0.6;

/** Measures bulk requests and an import, with visitors during the import. */
export const bulkImport: Scenario = {
  name: SCENARIO,
  runs: 'full',
  summary:
    '`POST /redirects/bulk`, and an import of 1,000,000 rows beside visitors (20,000 with --quick) on PostgreSQL',
  ...onInstallation(measure, report),
};

async function measure(bench: Bench, installation: Installation) {
  const pace = bench.quick ? QUICK : FULL;
  const {
    controlplanes: [controlplane],
    dataplanes: [dataplane],
  } = installation;
  const [loadAverage = Number.NaN] = os.loadavg();
  bench.say(`${SCENARIO}: starting the roles`);
  await startTogether([controlplane, dataplane]);
  const client = createApiClient(controlplane.port, 1);
  try {
    const visited = bulkRows('visited', 0, VISITED_HOSTS);
    await createInBulk(client, visited);
    await untilServed(dataplane, visited);

    const bulk = pace.requests * ROWS_PER_REQUEST;
    bench.say(`${SCENARIO}: ${formatWhole(bulk)} redirects in bulk requests`);
    const startedAtMs = performance.now();
    for (let request = 0; request < pace.requests; request += 1) {
      await createInBulk(client, bulkRows('bulk', request * ROWS_PER_REQUEST, ROWS_PER_REQUEST));
    }
    const bulkRowsPerSecond = (bulk / (performance.now() - startedAtMs)) * 1_000;
    await untilServed(dataplane, bulkRows('bulk', 0, bulk));

    const visit = (seconds: number) => visitHosts(bench, dataplane, visited, seconds);
    bench.say(`${SCENARIO}: visitors alone`);
    const quiet = await visit(pace.quietSeconds);
    bench.say(`${SCENARIO}: importing ${formatWhole(pace.imported)} rows beside visitors`);
    const rows = bulkRows('import', 0, pace.imported);
    const busySeconds = Math.max(1, (SHARE_OF_IMPORT * pace.imported) / bulkRowsPerSecond);
    const before = await readUsage(controlplane.pid);
    const sentAtMs = Date.now();
    const [busy, { endedAtMs, servedAtMs }] = await Promise.all([
      visit(busySeconds),
      importRows(controlplane.port, client, rows).then(async (endedAtMs) => {
        await untilServed(dataplane, rows);
        return { endedAtMs, servedAtMs: Date.now() };
      }),
    ]);
    const after = await readUsage(controlplane.pid);
    return {
      ...emptyRow(SCENARIO),
      loadAverage,
      bulkRows: bulk,
      bulkRowsPerSecond,
      importRows: rows.length,
      importRowsPerSecond: (rows.length / (endedAtMs - sentAtMs)) * 1_000,
      lastRowServedSeconds: Math.max(0, servedAtMs - endedAtMs) / 1_000,
      // CPU time of the control plane.
      cpuUsPerRow: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / rows.length,
      visitorP99Ms: quiet.p99Ms,
      visitorP99MsWhileImporting: busy.p99Ms,
      ratioToQuiet: busy.p99Ms / quiet.p99Ms,
    };
  } finally {
    client.leave();
  }
}

/** Resolves when visitors of the last host are redirected. @throws when their answer is wrong */
async function untilServed({ port }: Role, rows: readonly BulkRow[]): Promise<void> {
  const { fromDomain = '', toDomain = '' } = rows.at(-1) ?? {};
  const visitor = createVisitor({ redirectPort: port }, fromDomain);
  await visitor.untilServed(toDomain).finally(visitor.leave);
}

/** @throws when a visitor gets a wrong answer or no answer */
async function visitHosts(
  bench: Bench,
  { port }: Role,
  rows: readonly BulkRow[],
  seconds: number,
): Promise<FixedRateResult> {
  const target = '/item?id=1';
  const result = await loadAtFixedRate(bench, {
    server: 'waymark',
    port,
    requests: rows.map(({ fromDomain, toDomain }) => ({
      host: fromDomain,
      target,
      locations: [toDomain + target],
    })),
    connections: CONNECTIONS,
    requestsPerSecond: VISITS_PER_SECOND,
    seconds,
    spins: false,
  });
  if (result.failed > 0) throw new Error(`${SCENARIO}: ${result.failed} visitors had no answer`);
  return result;
}

function report(result: Awaited<ReturnType<typeof measure>>): string {
  const ms = (value: number) => `${formatDecimal(value)} ms`;
  const table = formatFigures([
    [
      `redirects a second, bulk requests of ${formatWhole(ROWS_PER_REQUEST)}`,
      formatWhole(result.bulkRowsPerSecond),
    ],
    [`rows a second, import of ${formatWhole(result.importRows)}`, formatWhole(result.importRowsPerSecond)],
    ['CPU time of the control plane per imported row', `${formatDecimal(result.cpuUsPerRow)} µs`],
    [
      'end of the import to the first visitor of its last row',
      `${formatDecimal(result.lastRowServedSeconds)} s`,
    ],
    ['p99 of a visitor, quiet', ms(result.visitorP99Ms)],
    ['p99 of a visitor during the import', ms(result.visitorP99MsWhileImporting)],
  ]);
  return `${table}

${describeSharing().join('\n')}
- The upload is part of the time of the import.
- The load average was ${formatDecimal(result.loadAverage)} at the beginning.`;
}
