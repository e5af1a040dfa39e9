import { setImmediate as nextTurn } from 'node:timers/promises';

/** Default of the longest work before others get their turn. */
const TURN_MS = 8;

/**
 * Runs steps to their end, and lets other work of the event loop in between.
 *
 * @param isUrgent whether to continue at once after a turn
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
 * Returns a function to call between steps of work that awaits other things. It returns a promise to await when others must get
 * their turn, otherwise undefined.
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

/** Notes how long the event loop has not had its turn since work began. */
export interface TurnWatch {
  /** Call before work that blocks the event loop. */
  begin(): void;
  /** Call after it. Returns a promise to await when others must get their turn, otherwise undefined. */
  pause(): Promise<unknown> | undefined;
}

/** Creates a watch for work that begins again and again from different callers. Time in which nothing runs does not count. */
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

/** Runs steps to their end at once. */
export function atOnce<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
