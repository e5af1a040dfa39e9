import type { Logger } from 'pino';

const MAX_WAITING = 1_000;
/** Maximum time between an answer and its work. */
export const MAX_DELAY_MS = 1_000;

/** Work after an answer. The time of the answer then does not reveal the work. */
export type AfterAnswer = ReturnType<typeof createAfterAnswer>;

/**
 * Runs pieces of work one after another. Drops work, with a warning, while too much waits.
 *
 * Work starts at a random moment. If it started immediately, it would delay the next request of the same caller, and
 * that delay would reveal the amount of work.
 *
 * @param maxDelayMs maximum delay of the work; even with 0 it starts after the answer was sent
 */
export function createAfterAnswer(logger: Logger, maxDelayMs = MAX_DELAY_MS) {
  const delayed = new Set<() => void>();
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    /** @param what name of the work, for the log if it fails */
    run(what: string, work: () => Promise<void>): void {
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
    /** Starts all waiting work. Resolves when it has ended. */
    settle(): Promise<void> {
      for (const begin of delayed) begin();
      return last;
    },
  };
}
