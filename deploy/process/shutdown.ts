import type { Logger } from 'pino';
import { killAfter } from './kill-after.js';

/**
 * Every process is gone this long after it has heard that it is to stop, whatever hangs. By themselves the parts of the
 * standalone product take up to 7 s for visitors and hits, with all that users of the API have under way beside
 * that, and then about a second for the databases.
 */
const STOP_TIMEOUT_MS = 9_500;
/** How Node calls `getaddrinfo` under way. */
const HOST_LOOK_UP = 'GetAddrInfoReqWrap';
const LOOK_AGAIN_MS = 20;
/** Who has no turn any more for saying that it gives up, is ended this much later. */
const SILENT_END_MS = 100;

export interface ShutdownOptions {
  /** Default: 9.5 s. */
  readonly limitMs?: number;
  /** Ends the process even where its own thread is held up. */
  readonly killAfter?: typeof killAfter;
}

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

export function createShutdown(logger: Logger, options: ShutdownOptions = {}): Shutdown {
  const { limitMs = STOP_TIMEOUT_MS, killAfter: endAfter = killAfter } = options;
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
      }, limitMs);
      endAfter(limitMs + SILENT_END_MS, (error) => {
        logger.warn({ err: error }, 'without a thread of its own the time limit of this stop may be late');
      });
      await starting.catch(() => undefined);
      await stopAll();
      await lookUpsEnded();
      process.exit(hasFailed ? 1 : 0);
    },
  };
}

/**
 * Resolves once no host is being looked up. `process.exit` waits for the threads that do it, with nobody left to see to the
 * time limit, and a name server that does not answer has its own idea of how long that may be.
 */
async function lookUpsEnded(): Promise<void> {
  while (process.getActiveResourcesInfo().includes(HOST_LOOK_UP))
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
