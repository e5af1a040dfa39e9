import { createBackgroundWork } from '../../jobs/background-work.js';
import { UNLIMITED } from '../../plan.js';
import type { PlanParts } from './plan-parts.js';
import { type RetentionChange, retentionChangeRepository } from './retention-change-repository.js';

const ROUND_INTERVAL_MS = 10_000;
const CHANGES_PER_ROUND = 20;
/** Maximum redirects per statement. ClickHouse limits the size of a parameter. */
const REDIRECTS_AT_ONCE = 1_000;
/** Retention value that the store treats as unlimited. */
const FOR_EVER_DAYS = 0;

export interface HitRetentionDeps extends Pick<PlanParts, 'database' | 'access' | 'logger'> {
  /** Keeps the stored hits of redirects for at least this many days, 0 for ever. Safe to repeat. */
  readonly extendRetention: (redirectIds: readonly string[], days: number) => Promise<void>;
}

/**
 * Extends the retention of stored hits when their owner's new plan keeps hits longer. A shorter plan does not shorten
 * it. New hits carry the current retention. A change waits in the database until the store has applied it. A refused
 * change moves to the end of the queue, so it blocks no others.
 */
export function createHitRetention(deps: HitRetentionDeps) {
  const { database, access, extendRetention, logger } = deps;

  async function runRound(): Promise<void> {
    for (const change of await retentionChangeRepository.list(database, CHANGES_PER_ROUND)) {
      await bringAbout(change).catch(async (error: unknown) => {
        logger.warn({ err: error }, 'stored hits are not kept as a changed plan says yet; trying again');
        await retentionChangeRepository.note(database, change.userId);
      });
    }
  }

  async function bringAbout(change: RetentionChange): Promise<void> {
    const { analyticsRetentionDays } = (await access.planIn(database, change.userId)).perRedirect;
    const days = analyticsRetentionDays === UNLIMITED ? FOR_EVER_DAYS : analyticsRetentionDays;
    const redirectIds = await retentionChangeRepository.redirectsOf(database, change.userId);
    for (let first = 0; first < redirectIds.length; first += REDIRECTS_AT_ONCE) {
      await extendRetention(redirectIds.slice(first, first + REDIRECTS_AT_ONCE), days);
    }
    await retentionChangeRepository.settle(database, change);
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'changed plans could not be read; trying again',
  });
  return work;
}

/**
 * Creates a function that returns the maximum age of a user's stored hits in days; undefined without a limit. Hits
 * keep the retention of the plan under which they were recorded, so former plans count too.
 */
export function createRetentionDays({ database, access }: Pick<PlanParts, 'database' | 'access'>) {
  return async (userId: string): Promise<number | undefined> => {
    const { analyticsRetentionDays } = (await access.planOf(userId)).perRedirect;
    const longest = await retentionChangeRepository.longestOf(database, userId);
    const days = longerRetention(analyticsRetentionDays, longest ?? analyticsRetentionDays);
    return days === UNLIMITED ? undefined : days;
  };
}

/** Returns the longer of two numbers of days, where -1 means for ever. */
export function longerRetention(one: number, other: number): number {
  return one === UNLIMITED || other === UNLIMITED ? UNLIMITED : Math.max(one, other);
}
