import { setMaxListeners } from 'node:events';
import { unlessAborted } from '../async/unless-aborted.js';

/** Time after which a running statement makes the watch ping the server. A ping has a limit of 1 s, its answer 2 s. */
const PATIENCE_MS = 500;
/** Time between two pings of a server that does not answer. */
const RETRY_INTERVAL_MS = 500;

/**
 * Distinguishes a server that hangs from one that processes an expensive statement: the latter still answers pings.
 * Statements for a hanging server fail immediately until the server answers a ping again.
 */
export interface ServerWatch {
  /**
   * Runs a statement, and cancels it if the server hangs.
   *
   * @param statement should end when its signal is aborted; its result is then ignored
   * @throws the error of `problemOf` if the server hangs
   */
  during<Result>(statement: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  close(): void;
}

export interface ServerWatchOptions {
  /** Rejects if the server does not answer in time. */
  readonly ping: () => Promise<void>;
  /** Converts an error of the ping into the error of the statements. */
  readonly problemOf: (cause: unknown) => Error;
  readonly patienceMs?: number;
  readonly retryIntervalMs?: number;
}

export function createServerWatch({
  ping,
  problemOf,
  patienceMs = PATIENCE_MS,
  retryIntervalMs = RETRY_INTERVAL_MS,
}: ServerWatchOptions): ServerWatch {
  let running = 0;
  let isClosed = false;
  let isChecking = false;
  let problem: Error | undefined;
  let cut = newCut();
  let timer: NodeJS.Timeout | undefined;

  function checkAfter(ms: number): void {
    if (isClosed) return;
    timer = setTimeout(() => void check(), ms);
    timer.unref();
  }

  async function check(): Promise<void> {
    isChecking = true;
    try {
      await ping();
      problem = undefined;
    } catch (error) {
      problem = problemOf(error);
      cut.abort(problem);
      cut = newCut();
    }
    isChecking = false;
    timer = undefined;
    if (problem !== undefined) checkAfter(retryIntervalMs);
    else if (running > 0) checkAfter(patienceMs);
  }

  function end(): void {
    running -= 1;
    // A running check decides itself whether another one follows.
    if (running > 0 || isChecking || problem !== undefined) return;
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    async during(statement) {
      if (problem !== undefined) throw problem;
      const { signal } = cut;
      running += 1;
      if (timer === undefined) checkAfter(patienceMs);
      try {
        return await unlessAborted(signal, statement(signal));
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        end();
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Creates a controller whose signal may have any number of listeners. */
function newCut(): AbortController {
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  return cut;
}
