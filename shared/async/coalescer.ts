/** Work that is done in rounds, one at a time; what a round finds, it brings up to date as a whole. */
export interface Coalescer {
  /**
   * Requests a round that begins after this call. Callers during a round share the next one.
   *
   * @returns resolves with the end of that round, or at once when there are none any more; never rejects
   */
  request(): Promise<void>;
  /** Begins no further round. Resolves when none is under way. */
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
      // One that fails against the rule is not the last.
      next ??= running.then(begin, begin);
      return next;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
