import type { Logger } from 'pino';

const MAX_WAITING = 1_000;

/** Work that requests do not wait for, so that the time of an answer does not tell what the work was. */
export interface AfterAnswer {
  /** @param what names the work in the log if it fails */
  run(what: string, work: () => Promise<void>): void;
  /** Resolves when all work has ended. */
  settle(): Promise<void>;
}

/** Runs one piece of work after the other. Drops work, with a warning, while too much waits. */
export function createAfterAnswer(logger: Logger): AfterAnswer {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    run(what, work) {
      if (waiting >= MAX_WAITING) {
        logger.warn(`${what} was dropped: too many are waiting`);
        return;
      }
      waiting += 1;
      last = last
        .then(work)
        .catch((error: unknown) => logger.error({ err: error }, `${what} failed`))
        .finally(() => {
          waiting -= 1;
        });
    },
    settle: () => last,
  };
}
