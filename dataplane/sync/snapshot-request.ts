import type { Clock } from './clock.js';

const FIRST_REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 30_000;

/** Requests a snapshot until it arrives: one request at a time, with growing pauses. */
export interface SnapshotRequest {
  /** Number of times that the open request got no answer; 0 without an open request. */
  readonly unanswered: number;
  /** Requests now, unless a request is open. */
  open(): void;
  /** Opens a request without sending one, because a snapshot is on its way. */
  expect(): void;
  /** Ends the request. */
  close(): void;
}

export interface SnapshotRequestDeps {
  readonly ask: () => void;
  /** Called each time before a request is repeated. */
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
    // Jitter of 0.5 to 1.5, so data planes that lost the same message do not all ask at the same time.
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
