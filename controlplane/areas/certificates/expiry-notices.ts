import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Database } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import { certificateRepository } from './certificate-repository.js';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 100;

/** Notifies owners, once per certificate, that it expires soon and was not renewed. */
export function createExpiryNotices(database: Database, logger: Logger): RoundWork {
  async function runRound(): Promise<void> {
    for (let count = BATCH; count === BATCH; ) {
      count = await database.transaction(async (tx) => {
        const expiring = await certificateRepository.takeExpiring(tx, BATCH);
        for (const { host, userId, source, state, served, lastError } of expiring) {
          const notAfter = served?.notAfter;
          await emit(tx, userId, 'certificate.expiring', { host, source, state, notAfter, error: lastError });
        }
        return expiring.length;
      });
    }
  }
  return createBackgroundWork({
    intervalMs: INTERVAL_MS,
    runRound,
    logger,
    failure: 'certificates that expire could not be announced; trying again later',
    beginsAtOnce: true,
  });
}
