import type { CurrentUser } from '../../http/current-user.js';
import { UNLIMITED } from '../../plan.js';
import { answerWithin } from '../../storage/clickhouse/answer-within.js';
import type { Database } from '../../storage/postgres/database.js';
import type { AccountStanding, StandingOf, UsageStats } from '../accounts/public.js';
import type { BillingParts } from './billing-parts.js';
import { isTrialing, type Subscription } from './subscription.js';
import type { SubscriptionService } from './subscription-service.js';
import { type Transaction, transactionRepository } from './transaction-repository.js';

const RECENT_TRANSACTIONS = 5;

export interface BillingSummaryDeps extends UsageStatsDeps {
  readonly database: Database;
  readonly subscriptions: Pick<SubscriptionService, 'active'>;
}

export interface Summary {
  readonly subscription: Subscription | undefined;
  readonly recentTransactions: readonly Transaction[];
  readonly usageStats: UsageStats;
}

/** Subscription, payments and usage of a user. */
export interface BillingSummary {
  read(user: CurrentUser): Promise<Summary>;
  readonly standingOf: StandingOf;
}

export function createBillingSummary(deps: BillingSummaryDeps): BillingSummary {
  const { database, subscriptions, nowMs } = deps;
  const readUsage = createReadUsageStats(deps);

  return {
    async read(user) {
      const subscription = await subscriptions.active(user.id);
      const [{ transactions }, usageStats] = await Promise.all([
        transactionRepository.pageOfUser(database, user.id, { limit: RECENT_TRANSACTIONS, offset: 0 }),
        readUsage(user, subscription),
      ]);
      return { subscription, recentTransactions: transactions, usageStats };
    },

    async standingOf(user): Promise<AccountStanding> {
      const subscription = await subscriptions.active(user.id);
      const isOnTrial = subscription !== undefined && isTrialing(subscription, nowMs());
      return {
        usage: await readUsage(user, subscription),
        trialEndsAt: isOnTrial ? subscription.trialEnd : null,
        isInGracePeriod: subscription !== undefined && subscription.pastDueSince !== null,
      };
    },
  };
}

/** Maximum wait of an answer for the count of events. */
const COUNT_TIMEOUT_MS = 1_500;

export type UsageStatsDeps = Pick<BillingParts, 'database' | 'countEvents' | 'logger' | 'nowMs'>;

/** Reads a user's usage of the plan. Concurrent calls for one user share the count of events. */
export type ReadUsageStats = (
  user: Pick<CurrentUser, 'id' | 'plan'>,
  subscription: Subscription | undefined,
) => Promise<UsageStats>;

export function createReadUsageStats(deps: UsageStatsDeps): ReadUsageStats {
  const { database, countEvents, logger, nowMs } = deps;

  const underWay = new Map<string, Promise<number>>();

  /** Unavailable analytics must not hide the subscription. */
  async function countOrZero(userId: string, since: Date): Promise<number> {
    const rows = await database.query<{ id: string }>(
      'SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NULL',
      [userId],
    );
    const ids = rows.map(({ id }) => id);
    const count = countEvents(ids, since, COUNT_TIMEOUT_MS);
    return answerWithin(COUNT_TIMEOUT_MS, count).catch((error: unknown) => {
      logger.warn({ err: error }, 'usage is not known at the moment; shown as zero');
      return 0;
    });
  }

  /** Shares a running count with later callers, because a count can take many statements. */
  function sharedCount(userId: string, since: Date): Promise<number> {
    const key = `${userId} ${since.getTime()}`;
    const count = underWay.get(key) ?? countOrZero(userId, since).finally(() => underWay.delete(key));
    underWay.set(key, count);
    return count;
  }

  return async ({ id, plan: { maxRedirects } }, subscription) => {
    const [[redirects], totalAnalyticsEvents] = await Promise.all([
      database.query<{ all: number; active: number }>(
        `SELECT count(*) AS "all", count(*) FILTER (WHERE verified_at IS NOT NULL) AS active
         FROM redirects WHERE user_id = $1 AND deleted_at IS NULL`,
        [id],
      ),
      sharedCount(id, periodStart(subscription, nowMs())),
    ]);
    const { all, active } = redirects ?? { all: 0, active: 0 };
    return {
      redirectsUsed: active,
      redirectsPending: all - active,
      maxRedirects,
      canCreateRedirect: maxRedirects === UNLIMITED || all < maxRedirects,
      totalAnalyticsEvents,
      lastUsageUpdate: new Date(nowMs()).toISOString(),
    };
  };
}

function periodStart(subscription: Subscription | undefined, nowMs: number): Date {
  const now = new Date(nowMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  if (subscription === undefined) return month;
  // A period that was paid in advance has no events yet.
  return subscription.currentPeriodStart <= now ? subscription.currentPeriodStart : now;
}
