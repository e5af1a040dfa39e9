import { median, medianRatio } from '../measure/statistics.js';
import type { Round, ServerResult } from './scenario.js';

/** What was measured of one server. */
export interface MeasuredServer {
  readonly server: string;
  readonly rounds: readonly Round[];
  readonly residentMib: number;
  readonly answersChecked: number;
}

/** What was the same for all of them. */
export type Conditions = Pick<ServerResult, 'scenario' | 'load' | 'hosts' | 'connections' | 'samplingRate'>;

/** Medians of the rounds, and of the ratios between servers within each round. */
export function summarize(conditions: Conditions, measured: readonly MeasuredServer[]): ServerResult[] {
  const cpuOf = (server: string) =>
    measured.find((candidate) => candidate.server === server)?.rounds.map((round) => round.cpuUsPerRequest) ??
    [];
  return measured.map(({ server, rounds, residentMib, answersChecked }) => {
    const middle = (pick: (round: Round) => number) => median(rounds.map(pick)) ?? Number.NaN;
    return {
      ...conditions,
      server,
      cpuUsPerRequest: middle((round) => round.cpuUsPerRequest),
      requestsPerSecond: middle((round) => round.requestsPerSecond),
      p50Ms: middle((round) => round.p50Ms),
      p99Ms: middle((round) => round.p99Ms),
      rssMiB: residentMib,
      ratioToNginx: medianRatio(cpuOf(server), cpuOf('nginx')) ?? null,
      ratioToUws: medianRatio(cpuOf(server), cpuOf('uws')) ?? null,
      answersChecked,
      rounds,
    };
  });
}
