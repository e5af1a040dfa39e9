import type { Logger } from 'pino';
import type { UsageStats } from '../accounts/account-standing.js';
import type { CurrentUser } from '../accounts/current-user.js';
import { UNLIMITED } from '../accounts/plans.js';
import { answerWithin } from '../analytics/answer-within.js';
import type { Database } from '../database/database.js';
import type { CountEvents } from './period-usage.js';
import type { Subscription } from './subscription.js';

/** Maximum time that an answer waits for the count of events. */
const COUNT_TIMEOUT_MS = 2_000;

export interface UsageStatsDeps {
  readonly database: Database;
  readonly countEvents: CountEvents;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

/** Reads what a user has used of the plan. */
export type ReadUsageStats = (
  user: Pick<CurrentUser, 'id' | 'plan'>,
  subscription: Subscription | undefined,
) => Promise<UsageStats>;

export function createReadUsageStats(deps: UsageStatsDeps): ReadUsageStats {
  const { database, countEvents, logger, nowMs } = deps;

  /** Analytics that are unavailable must not keep anybody from seeing what they pay for. */
  async function countOrZero(redirectIds: readonly string[], since: Date): Promise<number> {
    return answerWithin(COUNT_TIMEOUT_MS, countEvents(redirectIds, since)).catch((error: unknown) => {
      logger.warn({ err: error }, 'usage is not known at the moment; shown as zero');
      return 0;
    });
  }

  return async ({ id, plan: { maxRedirects } }, subscription) => {
    const redirects = await database.query<{ id: string; isActive: boolean }>(
      'SELECT id, verified_at IS NOT NULL AS "isActive" FROM redirects WHERE user_id = $1',
      [id],
    );
    const redirectsUsed = redirects.filter(({ isActive }) => isActive).length;
    const ids = redirects.map((redirect) => redirect.id);
    return {
      redirectsUsed,
      redirectsPending: redirects.length - redirectsUsed,
      maxRedirects,
      canCreateRedirect: maxRedirects === UNLIMITED || redirects.length < maxRedirects,
      totalAnalyticsEvents: await countOrZero(ids, periodStart(subscription, nowMs())),
      lastUsageUpdate: new Date(nowMs()),
    };
  };
}

function periodStart(subscription: Subscription | undefined, nowMs: number): Date {
  const now = new Date(nowMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  if (subscription === undefined) return month;
  // A period that was paid before it began has nothing to count yet.
  return subscription.currentPeriodStart <= now ? subscription.currentPeriodStart : now;
}
