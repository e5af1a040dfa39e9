import type { Logger } from 'pino';

const MAX_WAITING = 1_000;
/** Maximum time between an answer and its work. */
export const MAX_DELAY_MS = 1_000;

/** Work that requests do not wait for, so that the time of an answer does not tell what the work was. */
export interface AfterAnswer {
  /** @param what names the work in the log if it fails */
  run(what: string, work: () => Promise<void>): void;
  /** Begins all work that waits. Resolves when it has ended. */
  settle(): Promise<void>;
}

/**
 * Runs one piece of work after the other. Drops work, with a warning, while too much waits.
 *
 * Work begins at a random moment. If it began at once, it would slow down the next request of the same caller, whose time would
 * tell whether there was much to do.
 *
 * @param maxDelayMs of work; even with 0 it begins after the answer is written
 */
export function createAfterAnswer(logger: Logger, maxDelayMs = MAX_DELAY_MS): AfterAnswer {
  const delayed = new Set<() => void>();
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    run(what, work) {
      if (waiting >= MAX_WAITING) {
        logger.warn(`${what} was dropped: too many are waiting`);
        return;
      }
      waiting += 1;
      const begin = () => {
        clearTimeout(timer);
        delayed.delete(begin);
        last = last
          .then(work)
          .catch((error: unknown) => logger.error({ err: error }, `${what} failed`))
          .finally(() => {
            waiting -= 1;
          });
      };
      const timer = setTimeout(begin, Math.random() * maxDelayMs);
      delayed.add(begin);
    },
    settle() {
      for (const begin of delayed) begin();
      return last;
    },
  };
}
