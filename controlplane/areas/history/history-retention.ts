import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import { type PlansOf, UNLIMITED } from '../../plan.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { historyRepository, type ServedVersion } from './history-repository.js';

const ROUND_INTERVAL_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const USERS_AT_ONCE = 500;
/** Entries per statement. An entry has up to 1,000 versions. */
const ENTRIES_AT_ONCE = 100;
const SERVED_AT_ONCE = 10_000;

/** Deletes versions and entries of a user, regardless of their age. Resolves to whether more may remain. */
export async function eraseSomeHistory(source: Queryable, userId: string): Promise<boolean> {
  const deleted = await historyRepository.deleteBefore(source, userId, 'infinity', ENTRIES_AT_ONCE);
  return deleted === ENTRIES_AT_ONCE;
}

export interface HistoryRetentionDeps {
  readonly database: Database;
  readonly plansOf: PlansOf;
  readonly logger: Logger;
  /** Unix time. Default: the system's clock. */
  readonly nowMs?: () => number;
}

/**
 * Deletes versions and entries of the audit log that are older than the days of statistics of their owner's plan. A
 * round resolves to the number of deleted entries.
 */
export type HistoryRetention = RoundWork<number>;

export function createHistoryRetention(deps: HistoryRetentionDeps): HistoryRetention {
  const { database, plansOf, logger, nowMs = Date.now } = deps;
  async function deleteBefore(userId: string, time: Date): Promise<number> {
    let deleted = 0;
    for (let last = ENTRIES_AT_ONCE; last === ENTRIES_AT_ONCE && !work.isStopping(); deleted += last) {
      last = await historyRepository.deleteBefore(database, userId, time.toISOString(), ENTRIES_AT_ONCE);
    }
    return deleted;
  }

  /** Deletes the due entries of a user. A failure does not delay other users. */
  async function deleteOf(userId: string, end: Date): Promise<number> {
    try {
      return await deleteBefore(userId, end);
    } catch (error) {
      logger.error({ err: error, user: userId }, 'old entries of the audit log could not be deleted');
      return 0;
    }
  }

  async function forgetServed(): Promise<void> {
    let after: ServedVersion | undefined = { redirectId: '', version: 0 };
    while (after !== undefined && !work.isStopping()) {
      after = await historyRepository.forgetServed(database, after, SERVED_AT_ONCE);
    }
  }

  async function runRound(): Promise<number> {
    let deleted = 0;
    let after: string | undefined = '';
    while (after !== undefined && !work.isStopping()) {
      const users = await historyRepository.oldestEntries(database, after, USERS_AT_ONCE);
      const plans = await plansOf(
        database,
        users.map(({ userId }) => userId),
      );
      for (const { userId, oldest } of users) {
        const days = plans.get(userId)?.perRedirect.analyticsRetentionDays ?? UNLIMITED;
        if (days === UNLIMITED || oldest === null) continue;
        const end = new Date(nowMs() - days * DAY_MS);
        if (oldest < end) deleted += await deleteOf(userId, end);
      }
      after = users.length < USERS_AT_ONCE ? undefined : users.at(-1)?.userId;
    }
    await forgetServed();
    if (deleted > 0) logger.info({ entries: deleted }, 'entries of the audit log expired');
    return deleted;
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'old entries of the audit log could not be deleted; trying again later',
  });
  return work;
}
