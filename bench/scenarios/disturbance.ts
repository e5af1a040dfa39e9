import type { FixedRateResult } from '../load/fixed-rate.js';
import { median, medianRatio } from '../measure/statistics.js';
import { type Column, formatDecimal, formatTable, formatWhole } from '../report/table.js';
import { type DisturbanceResult, emptyRow } from './results.js';

/** Latency of visitors in the rounds of one state. */
export interface DisturbedRounds {
  readonly state: string;
  readonly rounds: readonly FixedRateResult[];
}

/**
 * Medians of the rounds, and of the p99 against that of the quiet round with the same number.
 *
 * @param disturbed first in the result: its row is the scenario's own
 */
export function summarizeDisturbance(
  scenario: string,
  disturbed: DisturbedRounds,
  quiet: DisturbedRounds,
  rssMiB: number | null = null,
): readonly [DisturbanceResult, DisturbanceResult] {
  const row = ({ state, rounds }: DisturbedRounds, server: string): DisturbanceResult => ({
    ...emptyRow(scenario, server),
    state,
    rssMiB,
    requestsPerSecond: middle(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
    p50Ms: middle(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(p99s(rounds)),
    ratioToQuiet: medianRatio(p99s(rounds), p99s(quiet.rounds)) ?? Number.NaN,
    failedRequests: rounds.reduce((sum, { failed }) => sum + failed, 0),
  });
  return [row(disturbed, 'waymark'), row(quiet, 'waymark, quiet')];
}

/** Columns of every table of this kind. */
export const DISTURBANCE_COLUMNS: readonly Column<DisturbanceResult>[] = [
  { title: 'state', isText: true, cell: ({ state }) => state },
  { title: 'redirects / s', cell: ({ requestsPerSecond }) => formatWhole(requestsPerSecond ?? Number.NaN) },
  { title: 'p50 ms', cell: ({ p50Ms }) => formatDecimal(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => formatDecimal(p99Ms) },
  { title: 'p99 × quiet', cell: ({ ratioToQuiet }) => formatDecimal(ratioToQuiet) },
  { title: 'failed requests', cell: ({ failedRequests }) => formatWhole(failedRequests) },
];

/** Formats the table of a disturbance and its notes. */
export function reportDisturbance(results: readonly DisturbanceResult[], notes: readonly string[]): string {
  return `${formatTable(DISTURBANCE_COLUMNS, results)}\n\n${notes.map((note) => `- ${note}`).join('\n')}`;
}

/** @throws when a visitor got no answer */
export function requireNoFailure(scenario: string, results: readonly DisturbanceResult[]): void {
  const failed = results.reduce((sum, { failedRequests }) => sum + failedRequests, 0);
  if (failed > 0) throw new Error(`${scenario}: ${failed} requests had no answer`);
}

function p99s(rounds: readonly FixedRateResult[]): number[] {
  return rounds.map(({ p99Ms }) => p99Ms);
}

function middle(values: readonly number[]): number {
  return median(values) ?? Number.NaN;
}
