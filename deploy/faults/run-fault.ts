import { setTimeout as delay } from 'node:timers/promises';
import { readAccounts, settle } from './accounting.js';
import { untilConverged, untilShowing } from './convergence.js';
import type { Fault, FaultPlan } from './fault.js';
import { type Load, startLoad } from './load/load.js';
import { createRedirects, MOVING_HOSTS, type Redirects, readCommitted, STEADY_HOSTS } from './redirects.js';
import type { Row } from './report.js';
import { setStage } from './stage.js';
import { until } from './until.js';
import { judge, sumOf } from './verdict.js';
import { startWorld, type World } from './world.js';
import { startWriters } from './writers.js';

export interface RunOptions {
  readonly isQuick: boolean;
  /** Keeps the files and logs of the servers. */
  readonly isKept: boolean;
  readonly say: (line: string) => void;
}

const REQUESTS_PER_SECOND = 1_100;
const CALM_MS = 2_000;

/** Injects one fault into a new world. @throws when the world does not start or does not settle */
export async function runFault(fault: Fault, options: RunOptions): Promise<Row> {
  const plan = fault.prepare();
  if (plan.impossible !== undefined) return { fault, outcome: 'impossible', problems: [plan.impossible] };
  const { requestsPerSecond = REQUESTS_PER_SECOND, paddingBytes = 0 } = plan;
  const world = await startWorld(plan.world ?? {}, options.isKept);
  if (options.isKept) options.say(`everything of it is kept in ${world.folder.root}`);
  try {
    const redirects = await createRedirects(world.api);
    await until(() => areAllServed(world, redirects), {
      timeoutMs: 30_000,
      what: 'serving of all redirects',
    });
    await until(world.isIngesting, { timeoutMs: 30_000, what: 'reading of hits from Kafka' });
    const load = await startLoad({
      ports: world.dataplanes.map(({ port }) => port),
      requestsPerSecond,
      steadyHosts: STEADY_HOSTS,
      movingHosts: MOVING_HOSTS,
      paddingBytes,
    });
    try {
      return await play({ fault, plan, requestsPerSecond, world, load, redirects, options });
    } finally {
      load.close();
    }
  } finally {
    await world.stop();
  }
}

interface Play {
  readonly fault: Fault;
  readonly plan: FaultPlan;
  /** Rate for each data plane. */
  readonly requestsPerSecond: number;
  readonly world: World;
  readonly load: Load;
  readonly redirects: Redirects;
  readonly options: RunOptions;
}

async function play({ fault, plan, requestsPerSecond, world, load, redirects, options }: Play): Promise<Row> {
  const { say, isQuick } = options;
  const writers = startWriters(world.api, redirects);
  const { stage, failedChecks, mended } = setStage({ world, load, writers, say, isQuick });
  await delay(CALM_MS);
  await plan.run(stage);
  const convergedMs = await untilConverged(load, mended());
  say(convergedMs === undefined ? 'the data planes do not converge' : `converged after ${convergedMs} ms`);
  await delay(CALM_MS);
  await writers.stop();

  const committed = await readCommitted(world.api, redirects);
  await untilShowing(load, committed.counters);
  const seen = await load.seen();
  const stats = await load.finish();
  say('all visitors are answered, the last hits are on their way');
  await settle(world, sumOf(stats, 'answered'), fault.allowedLoss);
  const accounts = await readAccounts(world, redirects.all);
  const problems = judge({
    allowedLoss: fault.allowedLoss,
    requestsPerSecond,
    load: stats,
    seen,
    written: writers.counters(),
    committed: committed.counters,
    refusedWrites: writers.refused,
    missingRedirects: writers.created.filter((host) => !committed.hosts.has(host)),
    convergedMs,
    accounts,
    failedChecks,
  });
  const outcome = problems.length === 0 ? 'passed' : 'failed';
  return { fault, outcome, problems, stats, accounts, convergedMs };
}

async function areAllServed({ dataplanes }: World, { all }: Redirects): Promise<boolean> {
  const readiness = await Promise.all(dataplanes.map((dataplane) => dataplane.readiness()));
  return readiness.every(({ hosts, state }) => hosts === all.length && state === 'live');
}
