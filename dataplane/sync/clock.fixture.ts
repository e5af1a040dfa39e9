import type { Clock } from './clock.js';

export interface ManualClock extends Clock {
  /** Moves time on and makes every call that falls due on the way, in order. */
  advance(durationMs: number): void;
  /** Number of calls still to be made. */
  pending(): number;
}

/** A clock that stands still until it is told to move. */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let nowMs = startMs;
  let calls: { readonly atMs: number; readonly run: () => void }[] = [];

  return {
    nowMs: () => nowMs,
    schedule(run, delayMs) {
      const call = { atMs: nowMs + delayMs, run };
      calls.push(call);
      return () => {
        calls = calls.filter((other) => other !== call);
      };
    },
    advance(durationMs) {
      const endMs = nowMs + durationMs;
      for (;;) {
        const due = calls.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (due === undefined) break;
        calls = calls.filter((other) => other !== due);
        nowMs = due.atMs;
        due.run();
      }
      nowMs = endMs;
    },
    pending: () => calls.length,
  };
}
