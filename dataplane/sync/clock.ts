/** Time as the parts that wait for it see it, so that tests can move it. */
export interface Clock {
  /** Unix time in milliseconds. It jumps when somebody sets the clock of the machine. */
  nowMs(): number;
  /** Whole milliseconds since any moment: for how long something takes, whatever becomes of the Unix time meanwhile. */
  elapsedMs(): number;
  /**
   * Calls `run` once after `delayMs`. A pending call does not keep the process alive.
   *
   * @returns cancels the call; harmless when it has already been made
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
