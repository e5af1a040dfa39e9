import type { Logger } from 'pino';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { ReplayRepository } from './replay-repository.js';

const ROUND_INTERVAL_MS = 10 * 60_000;
const KEPT = { days: 30, perUser: 50 };

/** Deletes replays that are old or beyond the newest 50 of a user. */
export function createReplayRetention(
  database: Queryable,
  repository: ReplayRepository,
  logger: Logger,
): BackgroundWork {
  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    async runRound() {
      while (!work.isStopping() && (await repository.deleteOld(database, KEPT)));
    },
    logger,
    failure: 'old replays could not be deleted; trying again shortly',
    beginsAtOnce: true,
  });
  return work;
}
