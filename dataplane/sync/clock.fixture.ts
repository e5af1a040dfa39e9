import type { Clock } from './clock.js';

export interface ManualClock extends Clock {
  /** Advances the time and makes every call that becomes due, in order. */
  advance(durationMs: number): void;
  /** Sets the Unix time, like an operator who corrects the clock. */
  jump(byMs: number): void;
  /** Number of pending calls. */
  pending(): number;
}

/** A clock that tests advance. */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let zeroMs = startMs;
  let elapsedMs = 0;
  let calls: { readonly atMs: number; readonly run: () => void }[] = [];

  return {
    nowMs: () => zeroMs + elapsedMs,
    elapsedMs: () => elapsedMs,
    schedule(run, delayMs) {
      const call = { atMs: elapsedMs + delayMs, run };
      calls.push(call);
      return () => {
        calls = calls.filter((other) => other !== call);
      };
    },
    advance(durationMs) {
      const endMs = elapsedMs + durationMs;
      for (;;) {
        const due = calls.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (due === undefined) break;
        calls = calls.filter((other) => other !== due);
        elapsedMs = due.atMs;
        due.run();
      }
      elapsedMs = endMs;
    },
    jump(byMs) {
      zeroMs += byMs;
    },
    pending: () => calls.length,
  };
}
