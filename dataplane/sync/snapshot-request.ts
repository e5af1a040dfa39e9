import type { Clock } from './clock.js';

const FIRST_REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 30_000;

/** Asks for a snapshot until it is answered: one request at a time, repeated ever more slowly. */
export interface SnapshotRequest {
  /** Number of times that the open request got no answer; 0 without an open request. */
  readonly unanswered: number;
  /** Asks now, unless a request is open already. */
  open(): void;
  /** Opens a request without asking: a snapshot is said to be on its way. */
  expect(): void;
  /** The request is answered, or no longer needed. */
  close(): void;
}

export interface SnapshotRequestDeps {
  readonly ask: () => void;
  /** Told each time the wait for an answer was in vain, before asking again. */
  readonly onUnanswered: () => void;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

export function createSnapshotRequest({
  ask,
  onUnanswered,
  clock,
  random,
}: SnapshotRequestDeps): SnapshotRequest {
  let cancelRepeat: (() => void) | undefined;
  let unanswered = 0;

  function awaitAnswer(): void {
    const delayMs = Math.min(LONGEST_REPEAT_MS, FIRST_REPEAT_MS * 2 ** unanswered);
    // Jitter from half to one and a half: many data planes that lost the same message do not ask all at once.
    cancelRepeat = clock.schedule(
      () => {
        unanswered += 1;
        awaitAnswer();
        onUnanswered();
        ask();
      },
      delayMs * (0.5 + random()),
    );
  }

  return {
    get unanswered() {
      return unanswered;
    },
    open() {
      if (cancelRepeat !== undefined) return;
      awaitAnswer();
      ask();
    },
    expect() {
      if (cancelRepeat === undefined) awaitAnswer();
    },
    close() {
      cancelRepeat?.();
      cancelRepeat = undefined;
      unanswered = 0;
    },
  };
}
