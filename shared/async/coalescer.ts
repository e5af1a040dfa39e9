/** Runs repeated work in rounds, one at a time. Each round processes everything that is pending when it begins. */
export interface Coalescer {
  /**
   * Requests a round that begins after this call. Callers during a round share the next one.
   *
   * @returns resolves when that round ends, or immediately after `stop`; never rejects
   */
  request(): Promise<void>;
  /** Starts no further round. Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** @param round must not reject */
export function createCoalescer(round: () => Promise<void>): Coalescer {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let stopped = false;

  function begin(): Promise<void> {
    next = undefined;
    if (!stopped) running = round();
    return running;
  }

  return {
    request() {
      // Start the next round even if a round rejects, which it must not.
      next ??= running.then(begin, begin);
      return next;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
