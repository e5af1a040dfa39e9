import type { AreaParts } from '../../area.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import { replayRepository } from './replay-repository.js';

const ROUND_INTERVAL_MS = 10 * 60_000;
const KEPT = { days: 30, perUser: 50 };

/** Deletes replays that are old or beyond the newest 50 of a user. */
export function createReplayRetention({
  database,
  logger,
}: Pick<AreaParts, 'database' | 'logger'>): BackgroundWork {
  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    async runRound() {
      while (!work.isStopping() && (await replayRepository.deleteOld(database, KEPT)));
    },
    logger,
    failure: 'old replays could not be deleted; trying again shortly',
    beginsAtOnce: true,
  });
  return work;
}
