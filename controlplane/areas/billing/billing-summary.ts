import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import type { AccountStanding, StandingOf, UsageStats } from '../accounts/public.js';
import { isTrialing, type Subscription } from './subscription.js';
import type { SubscriptionService } from './subscription-service.js';
import { type Transaction, transactionRepository } from './transaction-repository.js';
import { createReadUsageStats, type UsageStatsDeps } from './usage-stats.js';

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
