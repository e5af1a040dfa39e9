import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAnswerCheck } from '../measure/answer-check.js';
import { unaccountedHits } from '../measure/hit-accounting.js';
import { readUsage } from '../measure/process-usage.js';
import { formatWhole } from '../report/table.js';
import type { HitAccount, ServerKind } from '../servers/server-kind.js';
import type { BenchRequest } from '../traffic/bench-request.js';
import type { Comparison } from './comparison.js';
import type { Bench, Round } from './scenario.js';
import type { MeasuredServer } from './summarize.js';

const CHECKS_BEFORE = 200;
/** What a server does for requests after it has answered them, such as handing over hits, is part of their cost. */
const SETTLE_MS = 500;

/** One running server of a comparison. */
export interface Contender {
  /** Compares answers, then sends load that is not measured: code is compiled and every host asked for once. */
  warmUp(seconds: number): Promise<void>;
  /** Measures one round. */
  run(seconds: number): Promise<void>;
  /**
   * Ends the server; with what was measured and what is to be said of its hits.
   *
   * @throws when a hit is unaccounted for
   */
  leave(): Promise<MeasuredServer & { readonly notes: readonly string[] }>;
}

/** Starts a server for a comparison. */
export async function enterContender(
  bench: Bench,
  plan: Comparison,
  kind: ServerKind,
  requests: readonly BenchRequest[],
): Promise<Contender> {
  const workFolder = path.join(bench.workFolder, `${plan.name}-${kind.name}`);
  await mkdir(workFolder);
  const { hostCount, samplingRate, connections } = plan;
  const setup = { hostCount, samplingRate, workFolder };
  const server = await kind.start(bench.processes, bench.cores.server, setup);
  const check = createAnswerCheck({ ...kind, port: server.port }, requests);
  const rounds: Round[] = [];
  let loadCompleted = 0;
  let loadRuns = 0;

  async function measure(seconds: number): Promise<Round> {
    const checkedBefore = check.checked;
    const before = await readUsage(server.pid);
    const load = await check.checkDuring(
      bench.load.run(bench.processes, {
        port: server.port,
        requests,
        connections,
        seconds,
        cores: bench.cores.load,
        workFolder: bench.workFolder,
      }),
    );
    await delay(SETTLE_MS);
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

  function describeHits(hits: HitAccount): string {
    const complaint = unaccountedHits(hits, {
      answered: loadCompleted + check.checked,
      // A generator goes away at the end of a run with up to one request per connection under way.
      uncertain: loadRuns * connections,
      samplingRate,
    });
    if (complaint !== undefined) throw new Error(`${plan.name}, ${kind.name}: ${complaint}`);
    const [answered, recorded, delivered, dropped] = [
      hits.answered,
      hits.recorded,
      hits.delivered,
      hits.dropped,
    ].map(formatWhole);
    return `${kind.name}: ${answered} requests answered and counted; ${recorded} hits recorded = ${delivered} delivered + ${dropped} dropped.`;
  }

  return {
    async warmUp(seconds) {
      await check.check(CHECKS_BEFORE);
      await measure(seconds);
    },
    async run(seconds) {
      rounds.push(await measure(seconds));
    },
    async leave() {
      const { residentMib } = await readUsage(server.pid);
      check.close();
      const hits = await server.stop();
      const notes = hits === undefined ? [] : [describeHits(hits)];
      return { server: kind.name, rounds, residentMib, answersChecked: check.checked, notes };
    },
  };
}
