import type { Logger } from 'pino';

/** Every process is gone this long after it was asked to stop, whatever hangs. */
const STOP_TIMEOUT_MS = 9_500;

/** Stops what was begun, the last first. */
export interface Shutdown {
  readonly isUnderWay: boolean;
  /** Adds a part; `stop` may be called before it has finished starting. */
  add(stop: () => Promise<unknown>): void;
  /** Stops everything and ends the process; with 1 instead of `exitCode` when that fails or takes too long. */
  run(exitCode: 0 | 1): Promise<void>;
}

export function createShutdown(logger: Logger): Shutdown {
  const stops: (() => Promise<unknown>)[] = [];
  let isUnderWay = false;
  return {
    get isUnderWay() {
      return isUnderWay;
    },
    add(stop) {
      stops.push(stop);
    },
    async run(exitCode) {
      if (isUnderWay) return;
      isUnderWay = true;
      setTimeout(() => {
        logger.error('stopping took too long; giving up on what is left');
        process.exit(1);
      }, STOP_TIMEOUT_MS).unref();
      try {
        for (const stop of stops.reverse()) await stop();
        process.exit(exitCode);
      } catch (error) {
        logger.error({ err: error }, 'stopping failed; the next start repairs what is left');
        process.exit(1);
      }
    },
  };
}
