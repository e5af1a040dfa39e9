import type { Logger } from 'pino';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { importRepository } from './import-repository.js';

const ROUND_INTERVAL_MS = 10 * 60_000;
/** Limits the stored content of files. `receivingHours` exceeds the time that a file may take to arrive. */
const KEPT = { days: 30, perUser: 20, receivingHours: 1 };

/** Deletes imports, with the rows of their files, that are old or beyond the newest 20 of a user. */
export function createImportRetention(database: Queryable, logger: Logger): BackgroundWork {
  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    async runRound() {
      while (!work.isStopping() && (await importRepository.deleteOld(database, KEPT)));
    },
    logger,
    failure: 'old imports could not be deleted; trying again shortly',
    beginsAtOnce: true,
  });
  return work;
}
