import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { HAS_PEAK_MEMORY, readPeakMib } from '../measure/peak-memory.js';
import { createApiClient } from '../million/api-client.js';
import { updateBesideVisitors } from '../million/burst.js';
import { makeDatabases, seed } from '../million/databases.js';
import { compareEndpoints } from '../million/endpoints.js';
import { type Installation, onInstallation } from '../million/installation.js';
import { createMany } from '../million/many-writes.js';
import { createPhases, type PlannedPhase } from '../million/phases.js';
import { reportMillion } from '../million/report.js';
import { join, restart, startFirst, startTogether } from '../million/starts.js';
import { latenciesAt, timeChanges } from '../product/change-times.js';
import { TOKEN } from '../product/roles.js';
import { formatWhole } from '../report/table.js';
import { emptyRow, type MillionResult } from './results.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'million';
const FULL_SIZES = { redirects: 1_000_000, calls: 200, creates: 10_000, updates: 10_000, changes: 200 };
const QUICK_SIZES = { redirects: 100_000, calls: 60, creates: 1_000, updates: 2_000, changes: 40 };
/** Seeding ends with `VACUUM`, which has no progress. */
const SHARE_OF_ROWS = 0.85;

/** The parts of the scenario and their seconds on two quiet cores, with `--quick` and without. */
const PARTS = {
  tables: ['making the databases', 6, 6],
  seed: ['seeding', 9, 100],
  start: ['first start', 6, 35],
  restart: ['restarting each role', 5, 15],
  endpoints: ['timing endpoints', 8, 20],
  creates: ['creating redirects', 3, 15],
  updates: ['updating redirects beside visitors', 8, 20],
  changes: ['changes one by one', 3, 8],
  join: ['a second control plane and a second data plane', 4, 15],
} as const;

const ON_INSTALLATION = onInstallation(measure, reportMillion);

/** The whole product with very many redirects, from the first start to a change. */
export const million: Scenario = {
  name: SCENARIO,
  runs: 'full',
  summary:
    'the roles of the product with 1,000,000 redirects and rules (100,000 with --quick) in PostgreSQL and Redis',
  ...ON_INSTALLATION,
  missing: (services) => (HAS_PEAK_MEMORY ? ON_INSTALLATION.missing?.(services) : 'needs Linux'),
};

async function measure(bench: Bench, installation: Installation): Promise<MillionResult> {
  const { redirects, calls, creates, updates, changes } = bench.quick ? QUICK_SIZES : FULL_SIZES;
  const plan = Object.values(PARTS).map(
    ([name, quick, full]): PlannedPhase => [name, bench.quick ? quick : full],
  );
  const phases = createPhases(plan, (line) => bench.say(`${SCENARIO}: ${line}`));
  const begin = ([name]: readonly [string, number, number]) => phases.begin(name);
  const [loadAverage = Number.NaN] = os.loadavg();
  const {
    controlplanes: [controlplane],
    dataplanes: [dataplane],
    small,
  } = installation;

  begin(PARTS.tables);
  await makeDatabases(installation);
  begin(PARTS.seed);
  await seed(installation, redirects, (rows) =>
    phases.progress(`${formatWhole(rows)} redirects seeded`, (SHARE_OF_ROWS * rows) / redirects),
  );
  begin(PARTS.start);
  const started = await startFirst(installation, redirects);
  begin(PARTS.restart);
  const restarted = await restart(installation, redirects);
  begin(PARTS.endpoints);
  await startTogether([small.controlplane]);
  const clients = [
    createApiClient(controlplane.port, 1),
    createApiClient(small.controlplane.port, 1),
  ] as const;
  const endpoints = await compareEndpoints(clients, calls);
  for (const client of clients) client.leave();
  await small.controlplane.stop();
  begin(PARTS.creates);
  const created = await createMany(controlplane, creates);
  begin(PARTS.updates);
  const burst = await updateBesideVisitors(bench, controlplane, dataplane, {
    redirects,
    updates,
    expectedPerSecond: created.perSecond,
  });
  begin(PARTS.changes);
  const product = {
    apiAddress: `http://127.0.0.1:${controlplane.port}`,
    token: TOKEN,
    redirectPort: dataplane.port,
  };
  const host = `change-${randomUUID()}.localhost`;
  const { fromCommitMs = [] } = await timeChanges(product, host, changes, installation.databaseUrl);
  begin(PARTS.join);
  const joined = await join(installation, redirects);
  return {
    ...emptyRow(SCENARIO),
    redirects,
    ...started,
    ...restarted,
    ...endpoints,
    creates_per_s: created.perSecond,
    createCpuMs: created.cpuMs,
    ...burst,
    changes,
    propagationP50Ms: latenciesAt(fromCommitMs, 0.5),
    propagationP99Ms: latenciesAt(fromCommitMs, 0.99),
    ...joined,
    controlplanePeakMiB: Math.max(started.controlplanePeakMiB, await readPeakMib(controlplane.pid)),
    dataplanePeakMiB: Math.max(started.dataplanePeakMiB, await readPeakMib(dataplane.pid)),
    loadAverage,
  };
}
