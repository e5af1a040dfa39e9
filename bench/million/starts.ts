import { access } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { SNAPSHOT_FILE } from '../../dataplane/sync/disk-snapshot.js';
import { until } from '../../deploy/faults/until.js';
import { readPeakMib } from '../measure/peak-memory.js';
import { readUsage } from '../measure/process-usage.js';
import type { Role } from '../product/roles.js';
import { ask, requireRedirect } from '../traffic/ask.js';
import { type BenchRequest, benchRequests, forwardedLocation } from '../traffic/bench-request.js';
import type { Installation } from './installation.js';

/** Time limits for hung processes. Slow ones stay far below them. */
const VISIT_LIMIT_MS = 600_000;
const SAVE_LIMIT_MS = 300_000;
const LOOK_AGAIN_MS = 20;
const NOT_SERVED_YET: readonly (number | undefined)[] = [404, 503];
const MIB = 1024 * 1024;
const SNAPSHOTS_WRITTEN = 'waymark_ruleset_snapshots_published_total';

/** The first start of both roles, with an empty Redis and nothing on the data plane's disk. */
export async function startFirst(
  { controlplanes: [controlplane], dataplanes: [dataplane], redis, database }: Installation,
  redirects: number,
) {
  const startedAtMs = performance.now();
  const starting = startTogether([controlplane, dataplane]);
  const visited = untilVisited(dataplane, redirects).then(() => secondsSince(startedAtMs));
  const [readySeconds, firstVisitorSeconds] = await Promise.all([starting, visited]);
  const { usedBytes, peakBytes } = await redis.memory();
  return {
    readySeconds,
    firstVisitorSeconds,
    startCpuSeconds: (await readUsage(controlplane.pid)).cpuSeconds,
    dataplaneStartCpuSeconds: (await readUsage(dataplane.pid)).cpuSeconds,
    controlplanePeakMiB: await readPeakMib(controlplane.pid),
    dataplaneMiB: (await readUsage(dataplane.pid)).residentMib,
    dataplanePeakMiB: await readPeakMib(dataplane.pid),
    redisMiB: usedBytes / MIB,
    redisPeakMiB: peakBytes / MIB,
    databaseMiB: await databaseMib(database),
  };
}

async function databaseMib(database: Installation['database']): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  return (row?.bytes ?? Number.NaN) / MIB;
}

/** Restarts each role with its existing data. */
export async function restart(
  { controlplanes: [controlplane], dataplanes: [dataplane] }: Installation,
  redirects: number,
) {
  await untilSaved(dataplane);
  await dataplane.stop();
  const dataplaneRestartSeconds = await startUntilVisited(dataplane, redirects);
  await controlplane.stop();
  const controlplaneRestartSeconds = await startTogether([controlplane]);
  return {
    dataplaneRestartSeconds,
    controlplaneRestartSeconds,
    controlplaneRestartMiB: await readPeakMib(controlplane.pid),
    // Number of rulesets written to Redis. A restart must write none.
    restartSnapshots: await controlplane.metric(SNAPSHOTS_WRITTEN),
  };
}

/** Adds one of each role to the running ones. */
export async function join(
  { controlplanes: [, controlplane], dataplanes: [, dataplane] }: Installation,
  redirects: number,
) {
  return {
    secondControlplaneSeconds: await startTogether([controlplane]),
    secondDataplaneSeconds: await startUntilVisited(dataplane, redirects),
    secondDataplanePeakMiB: await readPeakMib(dataplane.pid),
    secondControlplanePeakMiB: await readPeakMib(controlplane.pid),
  };
}

/** Seconds from the launch of the roles together until all are ready. */
export async function startTogether(roles: readonly Role[]): Promise<number> {
  const startedAtMs = performance.now();
  await Promise.all(roles.map((role) => role.launch()));
  await Promise.all(roles.map((role) => role.untilReady()));
  return secondsSince(startedAtMs);
}

/** Seconds from the launch of a data plane until it answers a visitor. */
async function startUntilVisited(dataplane: Role, redirects: number): Promise<number> {
  const startedAtMs = performance.now();
  await dataplane.launch();
  await untilVisited(dataplane, redirects);
  return secondsSince(startedAtMs);
}

/** Resolves when a visitor of a seeded host is redirected. @throws when the answer is wrong */
async function untilVisited({ port }: Role, redirects: number): Promise<void> {
  const request = benchRequests(redirects, 1)[0] as BenchRequest;
  const agent = new http.Agent({ keepAlive: true });
  const visit = async () => {
    const answer = await ask(agent, port, request);
    if (NOT_SERVED_YET.includes(answer.status)) return false;
    requireRedirect('waymark', request, answer, [forwardedLocation(request)]);
    return true;
  };
  const what = 'the first redirect of a visitor';
  try {
    await until(visit, { timeoutMs: VISIT_LIMIT_MS, intervalMs: LOOK_AGAIN_MS, what });
  } finally {
    agent.destroy();
  }
}

/** Resolves when a data plane has its ruleset on disk. */
async function untilSaved({ dataDir }: Role): Promise<void> {
  const isThere = () => access(path.join(dataDir, SNAPSHOT_FILE)).then(() => true);
  await until(isThere, { timeoutMs: SAVE_LIMIT_MS, what: 'the first save of the ruleset' });
}

function secondsSince(startedAtMs: number): number {
  return (performance.now() - startedAtMs) / 1_000;
}
