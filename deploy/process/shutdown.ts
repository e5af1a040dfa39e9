import type { Logger } from 'pino';
import { killAfter } from './kill-after.js';

/**
 * Maximum time from the request to stop to the end of the process, without the drain delay. The parts of the standalone
 * product take up to 7 s for visitors, hits and API requests, and then about a second for the databases.
 */
const STOP_TIMEOUT_MS = 9_500;
/** Node's name for a running `getaddrinfo`. */
const HOST_LOOK_UP = 'GetAddrInfoReqWrap';
const LOOK_AGAIN_MS = 20;
/** Grace after the time limit in which the main thread can log that it gives up. */
const SILENT_END_MS = 100;

export interface ShutdownOptions {
  /** Default: 9.5 s. */
  readonly limitMs?: number;
  /** Ends the process even if its main thread is blocked. */
  readonly killAfter?: typeof killAfter;
}

/** Cause of a stop: a signal, a failed start, or an uncaught error. */
export type StopCause = 'SIGTERM' | 'SIGINT' | 'failed-start' | 'error';

/** Stops the parts of a process, the last one first. A part that cannot be stopped does not keep others from stopping. */
export interface Shutdown {
  /** Aborted when the process is about to stop, before any delay. */
  readonly leaving: AbortSignal;
  /** Aborted when parts are stopped. Parts that are still starting then end as soon as they can. */
  readonly signal: AbortSignal;
  /** Undefined until the process is about to stop. */
  readonly cause: StopCause | undefined;
  /** Adds a part; `stop` may be called before it has finished starting. */
  add(stop: () => Promise<unknown>): void;
  /**
   * Stops everything once `starting` has settled, because a part that starts later would not be stopped. Then it ends
   * the process: with 0 after a signal, with 1 for other causes or when stopping fails, and by SIGKILL when it takes
   * too long. A further call ends the delay, and makes the exit code 1 if its cause is an error.
   *
   * @param delayMs time for which everything continues after `leaving`, for load balancers to notice
   */
  run(cause: StopCause, starting: Promise<unknown>, delayMs?: number): Promise<void>;
}

export function createShutdown(logger: Logger, options: ShutdownOptions = {}): Shutdown {
  const { limitMs = STOP_TIMEOUT_MS, killAfter: endAfter = killAfter } = options;
  const stops: (() => Promise<unknown>)[] = [];
  const leaving = new AbortController();
  const stopping = new AbortController();
  const hurrying = new AbortController();
  let cause: StopCause | undefined;
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

  function limitTime(timeMs: number): void {
    setTimeout(() => {
      logger.error('stopping took too long; giving up on what is left');
      // `process.exit` waits for threads, and so for a running statement of the embedded ClickHouse.
      process.kill(process.pid, 'SIGKILL');
    }, timeMs);
    endAfter(timeMs + SILENT_END_MS, (error) => {
      logger.warn({ err: error }, 'without a thread of its own the time limit of this stop may be late');
    });
  }

  return {
    leaving: leaving.signal,
    signal: stopping.signal,
    get cause() {
      return cause;
    },
    add(stop) {
      stops.push(stop);
    },
    async run(newCause, starting, delayMs = 0) {
      if (newCause === 'error' || newCause === 'failed-start') hasFailed = true;
      if (cause !== undefined) {
        hurrying.abort();
        return;
      }
      cause = newCause;
      limitTime(delayMs + limitMs);
      leaving.abort();
      if (delayMs > 0) await pauseUnless(hurrying.signal, delayMs);
      stopping.abort();
      await starting.catch(() => undefined);
      await stopAll();
      await lookUpsEnded();
      process.exit(hasFailed ? 1 : 0);
    },
  };
}

/** Resolves after `delayMs`, or when the signal is aborted. */
function pauseUnless(signal: AbortSignal, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Resolves when no host is being looked up. `process.exit` waits for the threads of look-ups without a time limit,
 * and an unresponsive name server can take long.
 */
async function lookUpsEnded(): Promise<void> {
  while (process.getActiveResourcesInfo().includes(HOST_LOOK_UP))
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
