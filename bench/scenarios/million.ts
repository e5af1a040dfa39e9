import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { HAS_PEAK_MEMORY, readPeakMib } from '../measure/peak-memory.js';
import { createApiClient } from '../million/api-client.js';
import { updateBesideVisitors } from '../million/burst.js';
import { compareEndpoints, ENDPOINTS, type TimedEndpoint } from '../million/endpoints.js';
import { describeSharing, type Installation, onInstallation } from '../million/installation.js';
import { createMany } from '../million/many-writes.js';
import { createPhases, type PlannedPhase } from '../million/phases.js';
import { makeDatabases, seed } from '../million/seed.js';
import { join, restart, startFirst, startTogether } from '../million/starts.js';
import { latenciesAt, timeChanges } from '../product/change-times.js';
import { TOKEN } from '../product/roles.js';
import { type Column, formatDecimal, formatFigures, formatTable, formatWhole } from '../report/table.js';
import { emptyRow } from './results.js';
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

const ON_INSTALLATION = onInstallation(measure, report);

/** The whole product with very many redirects, from the first start to a change. */
export const million: Scenario = {
  name: SCENARIO,
  runs: 'full',
  summary:
    'the roles of the product with 1,000,000 redirects and rules (100,000 with --quick) in PostgreSQL and Redis',
  ...ON_INSTALLATION,
  missing: (services) => (HAS_PEAK_MEMORY ? ON_INSTALLATION.missing?.(services) : 'needs Linux'),
};

/** Figures of the whole product with very many redirects. Memory of a role is the sum over its processes. */
type Figures = Awaited<ReturnType<typeof measure>>;

async function measure(bench: Bench, installation: Installation) {
  const { redirects, calls, creates, updates, changes } = bench.quick ? QUICK_SIZES : FULL_SIZES;
  const plan = Object.values(PARTS).map(
    ([name, quick, full]): PlannedPhase => [name, bench.quick ? quick : full],
  );
  const phases = createPhases(plan, (line) => bench.say(`${SCENARIO}: ${line}`));
  const begin = ([name]: readonly [string, number, number]) => phases.begin(name);
  // Above 1, other processes slow the figures down.
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

/** The figures for people, in Markdown. */
function report(figures: Figures): string {
  const seconds = (value: number) => `${formatDecimal(value)} s`;
  const mib = (value: number) => `${formatWhole(value)} MiB`;
  const ms = (value: number) => `${formatDecimal(value)} ms`;
  const lines: readonly (readonly [string, string])[] = [
    ['redirects, with a rule each', formatWhole(figures.redirects)],
    ['first start until both roles are ready', seconds(figures.readySeconds)],
    ['first start until the first visitor', seconds(figures.firstVisitorSeconds)],
    ['CPU time by then, control plane', seconds(figures.startCpuSeconds)],
    ['CPU time by then, data plane', seconds(figures.dataplaneStartCpuSeconds)],
    ['restart of a data plane until the first visitor', seconds(figures.dataplaneRestartSeconds)],
    ['restart of a control plane until it is ready', seconds(figures.controlplaneRestartSeconds)],
    ['a second control plane until it is ready', seconds(figures.secondControlplaneSeconds)],
    ['a second data plane until the first visitor', seconds(figures.secondDataplaneSeconds)],
    ['memory of the control plane, peak', mib(figures.controlplanePeakMiB)],
    ['memory of the data plane after its start', mib(figures.dataplaneMiB)],
    ['memory of the data plane, peak', mib(figures.dataplanePeakMiB)],
    ['memory of Redis after the start', mib(figures.redisMiB)],
    ['memory of Redis, peak', mib(figures.redisPeakMiB)],
    ['database', mib(figures.databaseMiB)],
    ['creations a second, 16 callers', formatWhole(figures.creates_per_s)],
    ['CPU time of the control plane per creation', ms(figures.createCpuMs)],
    ['updates a second, 16 callers, visitors beside them', formatWhole(figures.updates_per_s)],
    ['CPU time of the control plane per update', ms(figures.updateCpuMs)],
    ['p99 of a visitor, quiet', ms(figures.visitorP99Ms)],
    ['p99 of a visitor during the updates', ms(figures.visitorP99MsWhileUpdating)],
    ['commit to the first visitor, p50', ms(figures.propagationP50Ms)],
    ['commit to the first visitor, p99', ms(figures.propagationP99Ms)],
  ];
  return [formatFigures(lines), formatTable(endpointColumns(figures), ENDPOINTS), notes(figures)].join(
    '\n\n',
  );
}

function endpointColumns(figures: Figures): readonly Column<TimedEndpoint>[] {
  return [
    { title: 'endpoint', isText: true, cell: (name) => name },
    { title: 'p50 ms', cell: (name) => formatDecimal(figures[`${name}P50Ms`]) },
    { title: 'p95 ms', cell: (name) => formatDecimal(figures[`${name}P95Ms`]) },
    { title: 'p99 ms', cell: (name) => formatDecimal(figures[`${name}P99Ms`]) },
    { title: 'p95 × 1,000 redirects', cell: (name) => formatDecimal(figures[`${name}P95RatioTo1k`]) },
  ];
}

function notes({ loadAverage }: Figures): string {
  return [
    ...describeSharing(),
    `- The load average was ${formatDecimal(loadAverage)} at the beginning.`,
    '- `list` reads 100 redirects of a user; the other endpoints read or change one redirect. The last column compares with an',
    '  installation of 1,000 redirects on the same servers, called alternately.',
    '- Nothing is recorded. The memory of a role is the sum over its processes.',
  ].join('\n');
}
