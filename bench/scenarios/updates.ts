import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { FixedRateResult } from '../load/fixed-rate.js';
import { loadAtFixedRate } from '../load/fixed-rate-load.js';
import { createAnswerCheck } from '../measure/answer-check.js';
import { readUsage } from '../measure/process-usage.js';
import { formatWhole } from '../report/table.js';
import type { RunningNodeServer } from '../servers/node-server.js';
import { waymark } from '../servers/node-servers.js';
import type { RunningServer } from '../servers/server-kind.js';
import type { BenchRequest } from '../traffic/bench-request.js';
import { type Edition, editionAfter, locationsOf, ruledRequests } from '../traffic/ruled-traffic.js';
import { reportDisturbance, requireNoFailure, summarizeDisturbance } from './disturbance.js';
import type { Bench, Scenario } from './scenario.js';

const SCENARIO = 'updates';
const CHANGES_PER_SECOND = 1_000;
const HOSTS = 1_000;
const RULES_PER_HOST = 10;
const REQUESTS = 5_000;
const CHECKS_AT_THE_END = 500;
const WARM_UP_SECONDS = 1;
const FULL_PACE = { rounds: 5, secondsPerRound: 5 };
const QUICK_PACE = { rounds: 2, secondsPerRound: 1 };

/** Measures whether visitors notice that rules change all the time. */
export const updates: Scenario = {
  name: SCENARIO,
  summary: `redirects of a data plane, quiet and while ${formatWhole(CHANGES_PER_SECOND)} rules a second change`,
  async run(bench) {
    const pace = bench.quick ? QUICK_PACE : FULL_PACE;
    const server = await startWaymark(bench);
    const requests = ruledRequests(HOSTS, { rulesPerHost: RULES_PER_HOST }, REQUESTS);
    const visit = (seconds: number, editions: readonly Edition[]) =>
      visitServer(bench, server, requests, editions, seconds);
    const quiet: FixedRateResult[] = [];
    const busy: FixedRateResult[] = [];
    await visit(WARM_UP_SECONDS, ['first']);
    let changes = 0;
    for (let round = 1; round <= pace.rounds; round += 1) {
      bench.say(`${SCENARIO}: round ${round} of ${pace.rounds}`);
      quiet.push(await visit(pace.secondsPerRound, ['first', 'second']));
      server.changeRules(CHANGES_PER_SECOND);
      busy.push(await visit(pace.secondsPerRound, ['first', 'second']));
      changes = await server.stopChanging();
    }
    const checked = await checkLastChanges(server, requests, changes);
    const { residentMib } = await readUsage(server.pid);
    await server.stop();
    const rows = summarizeDisturbance(
      SCENARIO,
      { state: 'while rules change', rounds: busy },
      { state: 'quiet', rounds: quiet },
      residentMib,
    );
    requireNoFailure(SCENARIO, rows);
    const [during, before] = rows;
    const results = [
      { ...during, changesPerSecond: CHANGES_PER_SECOND },
      { ...before, changesPerSecond: 0 },
    ];
    return { results, report: reportDisturbance(results, notesOf(changes, checked)) };
  },
};

async function startWaymark(bench: Bench): Promise<RunningNodeServer> {
  const workFolder = await mkdtemp(path.join(bench.workFolder, `${SCENARIO}-`));
  const redirects = { hostCount: HOSTS, rulesPerHost: RULES_PER_HOST, samplingRate: 0 };
  return waymark.start(bench.processes, bench.cores.server, { redirects, workFolder });
}

function visitServer(
  bench: Bench,
  { port }: RunningServer,
  requests: readonly BenchRequest[],
  editions: readonly Edition[],
  seconds: number,
): Promise<FixedRateResult> {
  return loadAtFixedRate(bench, {
    port,
    requests: requests.map((request) => ({ ...request, locations: locationsOf(request, editions) })),
    seconds,
    spins: true,
  });
}

/** Checks that every host answers by the last change of its rules. @returns the number of answers checked */
async function checkLastChanges(
  { port }: RunningServer,
  requests: readonly BenchRequest[],
  changes: number,
): Promise<number> {
  const check = createAnswerCheck(
    {
      name: 'waymark',
      port,
      rightLocations: (request) => locationsOf(request, [editionAfter(changes, hostIndexOf(request), HOSTS)]),
    },
    requests,
  );
  await check.check(CHECKS_AT_THE_END);
  return check.checked;
}

function hostIndexOf({ host }: BenchRequest): number {
  return Number(/\d+/.exec(host)?.[0]);
}

function notesOf(changes: number, checked: number): string[] {
  return [
    `${formatWhole(HOSTS)} hosts with ${RULES_PER_HOST} rules each; a change replaces the rules of a host.`,
    `${formatWhole(changes)} changes in all; ${formatWhole(checked)} answers after the last one were by what it said.`,
  ];
}
