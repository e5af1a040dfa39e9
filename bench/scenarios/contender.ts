import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FixedRateResult } from '../load/fixed-rate.js';
import { CONNECTIONS, loadAtFixedRate } from '../load/fixed-rate-load.js';
import { createAnswerCheck } from '../measure/answer-check.js';
import { type SeenFromOutside, unaccountedHits } from '../measure/hit-accounting.js';
import { readUsage } from '../measure/process-usage.js';
import { formatWhole } from '../report/table.js';
import type { HitAccount, KafkaTopic, RunningServer, ServerSetup } from '../servers/server-kind.js';
import { type BenchRequest, benchRequests } from '../traffic/bench-request.js';
import { pathRequests } from '../traffic/path-traffic.js';
import { ruledRequests } from '../traffic/ruled-traffic.js';
import type { Comparison, Entrant } from './comparison.js';
import type { Round } from './results.js';
import type { Bench } from './scenario.js';
import type { Latency, MeasuredServer } from './summarize.js';

const CHECKS_BEFORE = 200;
/** Time for work after the answers, such as delivering hits. It is part of the cost. */
const SETTLE_MS = 500;
/**
 * Maximum number of different requests: as many as the load generators can hold, and fewer than the data plane keeps
 * compiled.
 */
const MOST_REQUESTS = { quick: 20_000, full: 60_000 };
/** The data plane keeps a redirect compiled when it is requested a second time. */
const ASKED_BEFORE = 2;
/** A busy machine needs several. */
const MOST_WARM_UPS = 12;
const MOST_FIXED_REQUESTS = 5_000;

/** One running server of a comparison. */
export interface Contender {
  /**
   * Compares answers, then sends load that is not measured, until code is compiled and every host has been requested
   * twice.
   *
   * @throws when the server is too slow for that
   */
  warmUp(seconds: number): Promise<void>;
  /** Measures one round. */
  run(seconds: number): Promise<void>;
  /** Measures latencies at a fixed rate. */
  steady(seconds: number): Promise<void>;
  /** Stops the server. Returns the measurements, and remarks about its hits. @throws when a hit is unaccounted for */
  leave(): Promise<MeasuredServer & { readonly notes: readonly string[] }>;
}

/** Starts a server for a comparison. */
export async function enterContender(
  bench: Bench,
  { name: scenario }: Comparison,
  entrant: Entrant,
  kafka: KafkaTopic | undefined,
): Promise<Contender> {
  const { kind, redirects } = entrant;
  const server = await startServer(bench, scenario, entrant, kafka);
  const requests = requestsOf(redirects, MOST_REQUESTS[bench.quick ? 'quick' : 'full']);
  const check = createAnswerCheck({ ...kind, port: server.port }, requests);
  // Without hits it is a sliver of counters, which a short run can leave to the next round.
  const settleMs = bench.quick && redirects.samplingRate === 0 ? 0 : SETTLE_MS;
  const rounds: Round[] = [];
  let latency: Latency | undefined;
  let loadCompleted = 0;
  let loadRuns = 0;

  async function measure(seconds: number): Promise<Round> {
    const checkedBefore = check.checked;
    const before = await readUsage(server.pid);
    const { workFolder, cores, processes } = bench;
    // Each run continues where the previous one ended. Otherwise short runs would request the first hosts only.
    const next = loadCompleted % requests.length;
    const upcoming = [...requests.slice(next), ...requests.slice(0, next)];
    const options = {
      port: server.port,
      requests: upcoming,
      connections: CONNECTIONS,
      seconds,
      cores: cores.load,
      workFolder,
    };
    const load = await check.checkDuring(bench.load.run(processes, options));
    await delay(settleMs);
    const after = await readUsage(server.pid);
    loadCompleted += load.completed;
    loadRuns += 1;
    const answered = load.completed + check.checked - checkedBefore;
    return {
      requests: answered,
      cpuUsPerRequest: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / answered,
      requestsPerSecond: load.requestsPerSecond,
      p50Ms: load.p50Ms,
      p99Ms: load.p99Ms,
    };
  }

  return {
    async warmUp(seconds) {
      await check.check(CHECKS_BEFORE);
      const hostsAsked = Math.min(redirects.hostCount, requests.length);
      const wanted = Math.max(requests.length, ASKED_BEFORE * hostsAsked);
      for (let run = 1; run <= MOST_WARM_UPS && (run === 1 || loadCompleted < wanted); run += 1) {
        await measure(seconds);
      }
      if (loadCompleted < wanted) {
        throw new Error(
          `${entrant.name}: only ${loadCompleted} of ${wanted} requests of the warm-up were answered`,
        );
      }
    },
    async run(seconds) {
      rounds.push(await measure(seconds));
    },
    async steady(seconds) {
      const result = await measureLatency(bench, entrant, { port: server.port, requests, seconds });
      loadCompleted += result.completed;
      latency = result;
    },
    async leave() {
      const { residentMib } = await readUsage(server.pid);
      const memoryInUseMiB = (await server.memoryInUseMiB?.()) ?? null;
      const hits = await server.stop();
      // At the end of a run, the generator may leave one unanswered request per connection.
      const uncertain = loadRuns * CONNECTIONS;
      const seen = {
        answered: loadCompleted + check.checked,
        uncertain,
        samplingRate: redirects.samplingRate,
      };
      return {
        entrant,
        rounds,
        latency: latency ?? { p50Ms: Number.NaN, p99Ms: Number.NaN },
        residentMib,
        memoryInUseMiB,
        startSeconds: server.startSeconds,
        answersChecked: check.checked,
        recordsHits: hits !== undefined,
        notes: hits === undefined ? [] : [accountFor(hits, seen, entrant)],
      };
    },
  };
}

async function startServer(
  bench: Bench,
  scenario: string,
  { kind, redirects, startsFromDisk }: Entrant,
  kafka: KafkaTopic | undefined,
): Promise<RunningServer> {
  const workFolder = await mkdtemp(path.join(bench.workFolder, `${scenario}-`));
  const setup: ServerSetup = { redirects, workFolder, ...(kafka && { kafka }) };
  const start = (options: ServerSetup) => kind.start(bench.processes, bench.cores.server, options);
  if (startsFromDisk !== true) return start(setup);
  // The server saves its ruleset when it stops.
  await (await start(setup)).stop();
  return start({ ...setup, startsFromDisk });
}

function requestsOf(redirects: Entrant['redirects'], most: number): readonly BenchRequest[] {
  const { hostCount, rulesPerHost, pathsPerHost, areWildcards } = redirects;
  if (pathsPerHost !== undefined) return pathRequests(hostCount, pathsPerHost, most);
  if (areWildcards) return benchRequests(hostCount, most).map(belowHost);
  return rulesPerHost > 0 ? ruledRequests(hostCount, redirects, most) : benchRequests(hostCount, most);
}

/** The same request to a name below the host. */
function belowHost(request: BenchRequest): BenchRequest {
  return { ...request, host: `www.${request.host}` };
}

interface LatencyRun {
  readonly port: number;
  readonly requests: readonly BenchRequest[];
  readonly seconds: number;
}

/** @throws when a request has no answer */
async function measureLatency(
  bench: Bench,
  { name, kind }: Entrant,
  { port, requests, seconds }: LatencyRun,
): Promise<FixedRateResult> {
  const result = await loadAtFixedRate(bench, {
    server: name,
    port,
    requests: requests
      .slice(0, MOST_FIXED_REQUESTS)
      .map((request) => ({ ...request, locations: kind.rightLocations(request) })),
    seconds,
    spins: true,
  });
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests had no answer`);
  return result;
}

/** Describes the account of a server's hits. @throws when the numbers do not add up */
function accountFor(hits: HitAccount, seen: SeenFromOutside, { name }: Entrant): string {
  const complaint = unaccountedHits(hits, seen);
  if (complaint !== undefined) throw new Error(`${name}: ${complaint}`);
  const { answered, recorded, delivered, dropped, spooled } = hits;
  const waiting = spooled > 0 ? ` + ${formatWhole(spooled)} on disk for the next start` : '';
  return (
    `${name}: ${formatWhole(answered)} requests answered and counted; ${formatWhole(recorded)} hits recorded = ` +
    `${formatWhole(delivered)} delivered + ${formatWhole(dropped)} dropped${waiting}.`
  );
}
