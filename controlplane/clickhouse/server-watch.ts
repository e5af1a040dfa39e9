import { messageOf } from '../../shared/process/error-facts.js';
import { AnalyticsStoreError } from './store-error.js';

/** A statement that takes longer makes the watch ask whether the server still answers. */
const PATIENCE_MS = 750;
/** Time between two pings of a server that does not answer. */
const RETRY_INTERVAL_MS = 500;

/**
 * Tells a server that hangs from one that is at work on a heavy question: the second still answers pings. Questions to a
 * server that hangs fail at once, until it answers a ping again.
 */
export interface ServerWatch {
  /**
   * Runs a statement, and gives it up when the server is found to hang.
   *
   * @param statement ends when its signal is aborted
   * @throws AnalyticsStoreError `unavailable` when the server hangs
   */
  during<Result>(statement: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  close(): void;
}

export interface ServerWatchOptions {
  /** Rejects when the server does not answer in time. */
  readonly ping: () => Promise<void>;
  readonly patienceMs?: number;
  readonly retryIntervalMs?: number;
}

export function createServerWatch({
  ping,
  patienceMs = PATIENCE_MS,
  retryIntervalMs = RETRY_INTERVAL_MS,
}: ServerWatchOptions): ServerWatch {
  let running = 0;
  let isClosed = false;
  let isChecking = false;
  let problem: AnalyticsStoreError | undefined;
  let cut = new AbortController();
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
      problem = new AnalyticsStoreError(
        'unavailable',
        new Error(`ClickHouse does not answer: ${messageOf(error)}`, { cause: error }),
      );
      cut.abort(problem);
      cut = new AbortController();
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
        return await statement(signal);
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
