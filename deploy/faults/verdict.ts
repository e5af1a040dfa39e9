import type { Accounts } from './accounting.js';
import type { AllowedLoss } from './fault.js';
import type { LoadStats, SeenCounters } from './load/load-messages.js';
import type { WrittenCounters } from './writers.js';

/** Observations during a fault. */
export interface Observations {
  readonly allowedLoss: AllowedLoss;
  /** Planned rate for each data plane. */
  readonly requestsPerSecond: number;
  readonly load: LoadStats;
  readonly seen: SeenCounters;
  readonly written: readonly WrittenCounters[];
  /** The counters that the control plane reports as committed. */
  readonly committed: readonly number[];
  readonly refusedWrites: readonly string[];
  readonly missingRedirects: readonly string[];
  readonly convergedMs: number | undefined;
  readonly accounts: Accounts;
  /** Unmet requirements of the fault. */
  readonly failedChecks: readonly string[];
}

/** Hits that were lost and not counted by the product: answered visits that the store lacks. */
export function uncountedLoss(load: LoadStats, accounts: Accounts): number {
  return sumOf(load, 'answered') - accounts.stored - accounts.lost - accounts.killed;
}

export function sumOf(
  load: LoadStats,
  key: 'answered' | 'failed' | 'failedWhileDown' | 'wrong' | 'unanswered',
): number {
  return load.planes.reduce((sum, plane) => sum + plane[key], 0);
}

/** Returns the unmet requirements; an empty list if all are met. */
export function judge(seen: Observations): string[] {
  return [...judgeVisitors(seen), ...judgeWrites(seen), ...judgeHits(seen), ...seen.failedChecks];
}

/** A larger deviation from the planned rate is not a steady load. */
const PACE = 0.95;

function judgeVisitors({ load, convergedMs, requestsPerSecond }: Observations): string[] {
  const problems: string[] = [];
  const examples = load.planes.flatMap((plane) => plane.examples).slice(0, 5);
  const [failed, wrong] = [sumOf(load, 'failed'), sumOf(load, 'wrong')];
  if (failed > 0) problems.push(`${failed} requests to a live data plane failed (${examples.join('; ')})`);
  if (wrong > 0) problems.push(`${wrong} answers were wrong (${examples.join('; ')})`);
  if (convergedMs === undefined) problems.push('the data planes did not converge');
  for (const [
    plane,
    { answered, failed: unanswered, failedWhileDown, askedForMs },
  ] of load.planes.entries()) {
    const pace = ((answered + unanswered + failedWhileDown) * 1000) / askedForMs;
    if (pace < PACE * requestsPerSecond)
      problems.push(`only ${Math.round(pace)} requests a second went to data plane ${plane + 1}`);
  }
  return problems;
}

function judgeWrites(seen: Observations): string[] {
  const { written, committed, refusedWrites, missingRedirects, load } = seen;
  const problems = [...refusedWrites];
  if (missingRedirects.length > 0)
    problems.push(`acknowledged redirects are missing: ${missingRedirects.join()}`);
  for (const [host, { acknowledged, possible }] of written.entries()) {
    const truth = committed[host] ?? -1;
    if (truth < acknowledged)
      problems.push(`m${host} lost an acknowledged write: ${truth} after ${acknowledged}`);
    const invented = (seen.seen[host] ?? []).filter((counter) => !possible.has(counter));
    if (invented.length > 0) problems.push(`m${host} showed what was never committed: ${invented.join()}`);
    for (const [plane, { counters }] of load.planes.entries()) {
      if (counters[host] !== truth)
        problems.push(`data plane ${plane + 1} ended with ${counters[host]} for m${host}, not ${truth}`);
    }
  }
  return problems;
}

function judgeHits({ load, accounts, allowedLoss }: Observations): string[] {
  const problems: string[] = [];
  const { recorded, stored, lost, duplicated, dropped, killed, lostByProducers } = accounts;
  const answered = sumOf(load, 'answered');
  if (duplicated > 0) problems.push(`${duplicated} hits are stored twice`);
  if (recorded !== stored + lost)
    problems.push(`recorded ${recorded} is not stored ${stored} + lost ${lost}`);
  if (lost !== dropped) problems.push(`${lost} hits are lost but ${dropped} were dropped`);
  if (lost > 0 && allowedLoss !== 'dropped') problems.push(`${lost} hits were lost`);
  if (killed > 0 && allowedLoss !== 'killed') problems.push(`${killed} hits went with a process`);
  if (lostByProducers !== lost + killed)
    problems.push(`the producers lost ${lostByProducers} hits, not ${lost} + ${killed}`);
  const uncounted = uncountedLoss(load, accounts);
  if (allowedLoss === 'killed') {
    const atRisk = load.planes.reduce((sum, plane) => sum + plane.answeredShortlyBefore, 0);
    if (uncounted > atRisk)
      problems.push(
        `${uncounted} hits were lost and not counted, more than the ${atRisk} of the last moment`,
      );
    if (uncounted < -sumOf(load, 'unanswered'))
      problems.push(`${-uncounted} hits are stored that nobody caused`);
  } else if (uncounted !== 0)
    problems.push(`visitors got ${answered} redirects, the product recorded ${recorded}`);
  return problems;
}
