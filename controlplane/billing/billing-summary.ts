import type { Logger } from 'pino';
import type { CurrentUser } from '../accounts/current-user.js';
import type { Database } from '../database/database.js';
import type { CountEvents } from './period-usage.js';
import type { Subscription } from './subscription.js';
import type { SubscriptionService } from './subscription-service.js';
import { type Transaction, transactionRepository } from './transaction-repository.js';

const RECENT_TRANSACTIONS = 5;

export interface BillingSummaryDeps {
  readonly database: Database;
  readonly subscriptions: SubscriptionService;
  readonly countEvents: CountEvents;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export interface UsageStats {
  readonly redirectsUsed: number;
  /** In this billing period: that of the subscription, else the month. */
  readonly totalAnalyticsEvents: number;
  readonly lastUsageUpdate: Date;
}

export interface Summary {
  readonly subscription: Subscription | undefined;
  readonly recentTransactions: readonly Transaction[];
  readonly usageStats: UsageStats;
}

/** What a user pays for, has paid, and uses. */
export interface BillingSummary {
  read(user: CurrentUser): Promise<Summary>;
}

export function createBillingSummary(deps: BillingSummaryDeps): BillingSummary {
  const { database, subscriptions, countEvents, logger, nowMs } = deps;

  async function readUsage(userId: string, since: Date): Promise<UsageStats> {
    const redirects = await database.query<{ id: string; isActive: boolean }>(
      'SELECT id, verified_at IS NOT NULL AS "isActive" FROM redirects WHERE user_id = $1',
      [userId],
    );
    const ids = redirects.map(({ id }) => id);
    const redirectsUsed = redirects.filter(({ isActive }) => isActive).length;
    // Analytics being away must not keep anybody from seeing what they pay for.
    const totalAnalyticsEvents = await countEvents(ids, since).catch((error: unknown) => {
      logger.warn({ err: error }, 'usage is not known at the moment; shown as zero');
      return 0;
    });
    return { redirectsUsed, totalAnalyticsEvents, lastUsageUpdate: new Date(nowMs()) };
  }

  return {
    async read({ id }) {
      const subscription = await subscriptions.active(id);
      const [{ transactions }, usageStats] = await Promise.all([
        transactionRepository.pageOfUser(database, id, { limit: RECENT_TRANSACTIONS, offset: 0 }),
        readUsage(id, periodStart(subscription, nowMs())),
      ]);
      return { subscription, recentTransactions: transactions, usageStats };
    },
  };
}

function periodStart(subscription: Subscription | undefined, nowMs: number): Date {
  const now = new Date(nowMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  if (subscription === undefined) return month;
  // A period that was paid before it began has nothing to count yet.
  return subscription.currentPeriodStart <= now ? subscription.currentPeriodStart : now;
}
