import type { Logger } from 'pino';
import type { Queryable } from '../database/database.js';
import { deliveryRepository } from './delivery-repository.js';

const ROUND_INTERVAL_MS = 3_600_000;
const KEPT_DAYS = 30;
/** Of one statement, so that it holds locks for a short time only. */
const BATCH_SIZE = 1_000;

export interface WebhookRetentionDeps {
  readonly database: Queryable;
  readonly logger: Logger;
}

/** Forgets events, and with them the log of their deliveries, once they are 30 days old and done. */
export interface WebhookRetention {
  start(): void;
  runRound(): Promise<void>;
  stop(): Promise<void>;
}

export function createWebhookRetention({ database, logger }: WebhookRetentionDeps): WebhookRetention {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<unknown> = Promise.resolve();
  let isStopping = false;

  async function runRound(): Promise<void> {
    let deleted: number;
    do {
      deleted = await deliveryRepository.deleteOld(database, { days: KEPT_DAYS, limit: BATCH_SIZE });
    } while (deleted === BATCH_SIZE && !isStopping);
  }

  function runInTurn(): void {
    round = round.then(runRound).catch((error: unknown) => {
      logger.warn({ err: error }, 'old webhook events could not be deleted; trying again in an hour');
    });
  }

  return {
    start() {
      runInTurn();
      timer = setInterval(runInTurn, ROUND_INTERVAL_MS);
      timer.unref();
    },
    runRound,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await round;
    },
  };
}
