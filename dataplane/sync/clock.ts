/** The clock for waiting. Tests replace it. */
export interface Clock {
  /** Unix time in milliseconds. It jumps when somebody sets the clock of the machine. */
  nowMs(): number;
  /** Whole milliseconds since an arbitrary moment, independent of changes of the Unix time. Use it for durations. */
  elapsedMs(): number;
  /**
   * Calls `run` once after `delayMs`. A pending call does not keep the process alive.
   *
   * @returns a function that cancels the call; harmless after the call
   */
  schedule(run: () => void, delayMs: number): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => Math.trunc(performance.now()),
  schedule(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
