import { setImmediate as nextTurn } from 'node:timers/promises';

/** Default for the longest work before other work of the event loop can run. */
const TURN_MS = 8;

/**
 * Runs all steps, and lets other work of the event loop run in between.
 *
 * @param isUrgent whether to continue immediately after a turn
 */
export async function inTurns<Result>(
  steps: Iterator<unknown, Result>,
  turnMs = TURN_MS,
  isUrgent: () => boolean = () => false,
): Promise<Result> {
  let turnEndsAt = performance.now() + turnMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < turnEndsAt || isUrgent()) continue;
    await nextTurn();
    turnEndsAt = performance.now() + turnMs;
  }
}

/**
 * Returns a function to call between steps of asynchronous work. It returns a promise to await if other work must run
 * now, otherwise undefined.
 */
export function createPauses(): () => Promise<unknown> | undefined {
  let turnEndsAt = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < turnEndsAt) return undefined;
    return nextTurn().then(() => {
      turnEndsAt = performance.now() + TURN_MS;
    });
  };
}

/** Measures how long work has blocked the event loop. */
export interface TurnWatch {
  /** Call before work that blocks the event loop. */
  begin(): void;
  /**
   * Call after work that blocks the event loop. Returns a promise to await if other work must run now, otherwise
   * undefined.
   */
  pause(): Promise<unknown> | undefined;
}

/** Creates a watch for work that different callers start repeatedly. Idle time does not count. */
export function createTurnWatch(): TurnWatch {
  let endsAt: number | undefined;
  return {
    begin() {
      if (endsAt !== undefined) return;
      endsAt = performance.now() + TURN_MS;
      setImmediate(() => {
        endsAt = undefined;
      });
    },
    pause: () => (endsAt !== undefined && performance.now() >= endsAt ? nextTurn() : undefined),
  };
}

/** Runs all steps synchronously. */
export function atOnce<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
