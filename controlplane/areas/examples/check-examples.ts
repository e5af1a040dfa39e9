import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPauses } from '../../../shared/async/in-turns.js';
import type { HttpsUpgrade } from '../../../shared/ruleset/https-upgrade.js';
import type { VisitorInsight } from '../rules/public.js';
import type { Example } from './example-schema.js';
import { explainFailure, type JudgedExample, judge } from './judge-example.js';
import type { ServedState } from './served-state.js';
import { createVisit, type Visit } from './visit.js';

/** An example with its visit. */
export interface DescribedExample {
  readonly example: Example;
  readonly visit: Visit;
}

/** Maximum time before other work gets its turn. */
const TURN_MS = 5;

/** Thrown when a check has used up its time. */
export class OutOfTime extends Error {
  constructor() {
    super('the examples take too long to check');
  }
}

/** Processor time that a check may still use. */
export interface TimeLeft {
  ms: number;
}

/**
 * Creates the visits of examples.
 *
 * @param host `fromDomain` of the redirect
 * @param now time of visits without their own time
 * @param upgrade default: to port 443
 */
export async function describeAll(
  examples: readonly Example[],
  host: string,
  insight: VisitorInsight,
  now: Date,
  upgrade?: HttpsUpgrade,
): Promise<DescribedExample[]> {
  const pause = createPauses();
  const described: DescribedExample[] = [];
  for (const example of examples) {
    described.push({ example, visit: createVisit(example.request, host, insight, now, upgrade) });
    await pause();
  }
  return described;
}

/**
 * Judges examples. Other work of the event loop gets its turn in between.
 *
 * @param left decreases during the check; default: no limit
 * @throws {OutOfTime}
 */
export async function judgeAll(
  state: ServedState,
  described: readonly DescribedExample[],
  left: TimeLeft = { ms: Number.POSITIVE_INFINITY },
): Promise<JudgedExample[]> {
  const judged: JudgedExample[] = [];
  let turn = beginTurn();
  for (const { example, visit } of described) {
    judged.push(judge(state, example, visit));
    if (performance.now() - turn.sinceMs < TURN_MS) continue;
    // Measure processor time: on a busy machine other processes take most of the elapsed time.
    const { user, system } = process.cpuUsage(turn.usage);
    left.ms -= (user + system) / 1_000;
    if (left.ms < 0) throw new OutOfTime();
    await nextTurn();
    turn = beginTurn();
  }
  return judged;
}

function beginTurn() {
  return { sinceMs: performance.now(), usage: process.cpuUsage() };
}

/** Returns the explanations of failed examples. */
export async function explainAll(state: ServedState, failed: readonly JudgedExample[]): Promise<string[]> {
  const pause = createPauses();
  const messages: string[] = [];
  for (const one of failed) {
    messages.push(explainFailure(state, one));
    await pause();
  }
  return messages;
}
