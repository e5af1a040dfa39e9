import { setMaxListeners } from 'node:events';
import { unlessAborted } from '../async/unless-aborted.js';

/** A statement that takes longer makes the watch ask whether the server still answers. A ping is given 1 s, an answer 2 s. */
const PATIENCE_MS = 500;
/** Time between two pings of a server that does not answer. */
const RETRY_INTERVAL_MS = 500;

/**
 * Tells a server that hangs from one that is at work on a heavy question: the second still answers pings. Questions to a
 * server that hangs fail at once, until it answers a ping again.
 */
export interface ServerWatch {
  /**
   * Runs a statement, and cancels it when the server hangs.
   *
   * @param statement should end when its signal is aborted; its result is ignored then
   * @throws the error of `problemOf` when the server hangs
   */
  during<Result>(statement: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  close(): void;
}

export interface ServerWatchOptions {
  /** Rejects when the server does not answer in time. */
  readonly ping: () => Promise<void>;
  /** Returns the error of the statements for an error of the ping. */
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
    // A check under way decides itself whether another one follows.
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

/** A controller whose signal any number of statements may listen to. */
function newCut(): AbortController {
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  return cut;
}
