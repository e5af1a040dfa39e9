import { median, medianRatio } from '../measure/statistics.js';
import type { Entrant } from './comparison.js';
import { emptyRow, type Round, type ServerResult } from './results.js';

/** Latencies at a fixed rate. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Measurements of one server. */
export interface MeasuredServer {
  readonly entrant: Entrant;
  readonly rounds: readonly Round[];
  readonly latency: Latency;
  readonly residentMib: number;
  readonly memoryInUseMiB: number | null;
  readonly startSeconds: number;
  readonly answersChecked: number;
  readonly recordsHits: boolean;
}

/** Conditions that all of them share. */
export type Conditions = Pick<
  ServerResult,
  'scenario' | 'load' | 'connections' | 'fixedRequestsPerSecond' | 'sink'
>;

/** Medians of the rounds, and of the ratios between servers within each round. */
export function summarize(conditions: Conditions, measured: readonly MeasuredServer[]): ServerResult[] {
  return measured.map((server) => {
    const { entrant, rounds, latency, residentMib, memoryInUseMiB, startSeconds, answersChecked } = server;
    const middle = (pick: (round: Round) => number) => median(rounds.map(pick)) ?? Number.NaN;
    const ratioTo = (peer: string) =>
      cpuRatio(
        server,
        measured.find((other) => other.entrant.name === peer),
      );
    const { hostCount: hosts, rulesPerHost, samplingRate } = entrant.redirects;
    return {
      ...emptyRow(conditions.scenario, entrant.name),
      ...conditions,
      sink: server.recordsHits ? conditions.sink : null,
      hosts,
      rulesPerHost,
      samplingRate,
      cpuUsPerRequest: middle((round) => round.cpuUsPerRequest),
      requestsPerSecond: middle((round) => round.requestsPerSecond),
      p50Ms: latency.p50Ms,
      p99Ms: latency.p99Ms,
      rssMiB: residentMib,
      memoryInUseMiB,
      startSeconds,
      ratioToNginx: ratioTo('nginx'),
      ratioToUws: ratioTo('uws'),
      answersChecked,
      rounds,
    };
  });
}

/**
 * Returns the CPU time per request divided by that of another server in the same round; `null` if there is no other.
 */
export function cpuRatio(of: Measured, to: Measured | undefined): number | null {
  return medianRatio(cpuOf(of), cpuOf(to)) ?? null;
}

type Measured = { readonly rounds: readonly Round[] };

function cpuOf(server: Measured | undefined): number[] {
  return server?.rounds.map(({ cpuUsPerRequest }) => cpuUsPerRequest) ?? [];
}
