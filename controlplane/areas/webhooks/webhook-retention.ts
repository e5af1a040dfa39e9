import type { AreaParts } from '../../area.js';
import { createBackgroundWork } from '../../jobs/background-work.js';
import { deliveryRepository } from './delivery-repository.js';

const ROUND_INTERVAL_MS = 3_600_000;
const KEPT_DAYS = 30;
/** Maximum rows per statement. Short statements hold locks briefly. */
const BATCH_SIZE = 1_000;

/** Deletes events and the log of their deliveries 30 days after the event, if no delivery is open. */
export function createWebhookRetention({ database, logger }: Pick<AreaParts, 'database' | 'logger'>) {
  async function runRound(): Promise<void> {
    let deleted: number;
    do {
      deleted = await deliveryRepository.deleteOld(database, { days: KEPT_DAYS, limit: BATCH_SIZE });
    } while (deleted === BATCH_SIZE && !work.isStopping());
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'old webhook events could not be deleted; trying again in an hour',
    beginsAtOnce: true,
  });
  return work;
}
