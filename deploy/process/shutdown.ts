import type { Logger } from 'pino';

/** Every process is gone this long after it was asked to stop, whatever hangs. */
const STOP_TIMEOUT_MS = 9_500;

/** Stops what was begun, the last first. What cannot be stopped keeps nothing else from it. */
export interface Shutdown {
  /** Aborted when it begins: what is still starting ends then, as soon as it can. */
  readonly signal: AbortSignal;
  /** Adds a part; `stop` may be called before it has finished starting. */
  add(stop: () => Promise<unknown>): void;
  /**
   * Stops everything once `starting` has settled, so that nothing starts behind its back, and ends the process: with 1 in
   * place of `exitCode` when that fails, and by SIGKILL when it takes too long. While it is under way another call only
   * makes the exit code 1 that asks for it.
   */
  run(exitCode: 0 | 1, starting: Promise<unknown>): Promise<void>;
}

export function createShutdown(logger: Logger): Shutdown {
  const stops: (() => Promise<unknown>)[] = [];
  const beginning = new AbortController();
  let hasFailed = false;

  async function stopAll(): Promise<void> {
    for (const stop of stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        hasFailed = true;
        logger.error({ err: error }, 'stopping failed; the next start repairs what is left');
      }
    }
  }

  return {
    signal: beginning.signal,
    add(stop) {
      stops.push(stop);
    },
    async run(exitCode, starting) {
      if (exitCode !== 0) hasFailed = true;
      if (beginning.signal.aborted) return;
      beginning.abort();
      setTimeout(() => {
        logger.error('stopping took too long; giving up on what is left');
        // `process.exit` waits for threads, and so for a statement that the embedded ClickHouse is at.
        process.kill(process.pid, 'SIGKILL');
      }, STOP_TIMEOUT_MS);
      await starting.catch(() => undefined);
      await stopAll();
      process.exit(hasFailed ? 1 : 0);
    },
  };
}
