import type { Logger } from 'pino';

/** Work that is done in rounds, none of which runs beside another. */
export interface BackgroundWork {
  /** Has a round begin at each interval; one that is due while another still runs is left out, and not made up for. */
  start(): void;
  /** Begins no further round. Resolves once none is under way; never rejects. */
  stop(): Promise<void>;
}

export interface BackgroundWorkOptions {
  readonly intervalMs: number;
  readonly runRound: () => Promise<unknown>;
  readonly logger: Logger;
  /** Log message of a run that rejects. */
  readonly failure: string;
  /** Default: the first round begins after one interval. */
  readonly beginsAtOnce?: boolean;
}

export function createBackgroundWork(options: BackgroundWorkOptions): BackgroundWork {
  const { intervalMs, runRound, logger, failure, beginsAtOnce = false } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

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
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
