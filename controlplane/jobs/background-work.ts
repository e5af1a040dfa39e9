import type { Logger } from 'pino';

/** Periodic work. Rounds never overlap. */
export interface BackgroundWork {
  /** Begins a round at each interval. Skips rounds that are due while another one runs. */
  start(): void;
  /** Begins no further round. Resolves when the current one has ended. Never rejects. */
  stop(): Promise<void>;
}

/** Background work whose rounds can also be run one by one. */
export interface RoundWork<Result = void> extends BackgroundWork {
  /** Does the work that is due now. */
  runRound(): Promise<Result>;
  /** Begins a round now, or another one after the current one. Resolves when no round runs any more. Never rejects. */
  wake(): Promise<void>;
  /** Returns whether `stop` was called. A long round must then end early. */
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
  let isWanted = false;

  async function tryRound(): Promise<void> {
    try {
      isWanted = false;
      await runRound();
    } catch (error) {
      isWanted = false;
      logger.warn({ err: error }, failure);
    }
  }

  async function run(): Promise<void> {
    do {
      await tryRound();
    } while (isWanted && !isStopping);
    running = undefined;
  }

  function begin(): void {
    running ??= run();
  }

  return {
    start() {
      if (beginsAtOnce) begin();
      timer = setInterval(begin, intervalMs);
      timer.unref();
    },
    runRound,
    async wake() {
      isWanted = true;
      if (!isStopping) begin();
      await running;
    },
    isStopping: () => isStopping,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
