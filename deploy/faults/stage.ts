import { setTimeout as delay } from 'node:timers/promises';
import type { Moment } from './convergence.js';
import type { Stage } from './fault.js';

/** A stage with the requirements that were checked on it. */
export interface SetStage {
  readonly stage: Stage;
  /** Unmet requirements of the fault. */
  readonly failedChecks: readonly string[];
  /** Returns the time of the recovery and the state acknowledged by then. Default: now. */
  mended(): Moment;
}

export interface StageParts extends Pick<Stage, 'world' | 'load' | 'writers' | 'say'> {
  readonly isQuick: boolean;
}

const QUICK_OUTAGE_MS = 4_000;

export function setStage({ world, load, writers, say, isQuick }: StageParts): SetStage {
  const failedChecks: string[] = [];
  let mended: Moment | undefined;
  const momentNow = (): Moment => ({
    atMs: performance.now(),
    counters: writers.counters().map(({ acknowledged }) => acknowledged),
  });
  return {
    failedChecks,
    mended: () => mended ?? momentNow(),
    stage: {
      world,
      load,
      writers,
      say,
      outageMs: (fullMs) => (isQuick ? Math.min(fullMs, QUICK_OUTAGE_MS) : fullMs),
      times: (full) => (isQuick ? 1 : full),
      async pause(durationMs) {
        await delay(durationMs);
      },
      check(isMet, otherwise) {
        if (!isMet) failedChecks.push(otherwise);
      },
      mended() {
        mended = momentNow();
      },
    },
  };
}
