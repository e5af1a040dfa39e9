import type { Logger } from 'pino';

/** Work that is done in rounds, none of which runs beside another. */
export interface BackgroundWork {
  /** Has a round begin at each interval; one that is due while another still runs is left out, and not made up for. */
  start(): void;
  /** Begins no further round. Resolves once none is under way; never rejects. */
  stop(): Promise<void>;
}

/** Background work with a round that can be run by itself. */
export interface RoundWork<Result = void> extends BackgroundWork {
  /** Does what is due now. */
  runRound(): Promise<Result>;
  /** Returns whether `stop` was called. A long round ends early then. */
  isStopping(): boolean;
}

export interface BackgroundWorkOptions<Result> {
  readonly intervalMs: number;
  readonly runRound: () => Promise<Result>;
  readonly logger: Logger;
  /** Log message of a run that rejects. */
  readonly failure: string;
  /** Default: the first round begins after one interval. */
  readonly beginsAtOnce?: boolean;
}

export function createBackgroundWork<Result>(options: BackgroundWorkOptions<Result>): RoundWork<Result> {
  const { intervalMs, runRound, logger, failure, beginsAtOnce = false } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopping = false;

  async function run(): Promise<void> {
    try {
      await runRound();
    } catch (error) {
      logger.warn({ err: error }, failure);
    }
  }

  function begin(): void {
    running ??= run().finally(() => {
      running = undefined;
    });
  }

  return {
    start() {
      if (beginsAtOnce) begin();
      timer = setInterval(begin, intervalMs);
      timer.unref();
    },
    runRound,
    isStopping: () => isStopping,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
