import type { CurrentUser } from '../../http/current-user.js';

/** A user's usage of the plan. */
export interface UsageStats {
  /** Redirects that are active. */
  readonly redirectsUsed: number;
  /** Redirects whose domain is not verified yet. The plan limits them too. */
  readonly redirectsPending: number;
  /** -1: no limit. */
  readonly maxRedirects: number;
  readonly canCreateRedirect: boolean;
  /** Events in this billing period: that of the subscription, otherwise the month. */
  readonly totalAnalyticsEvents: number;
  readonly lastUsageUpdate: Date;
}

/** A user's usage and the state of the subscription. */
export interface AccountStanding {
  readonly usage: UsageStats;
  /** `null`: the user is not on trial. */
  readonly trialEndsAt: Date | null;
  /** Whether a payment failed and access goes on for the days of grace. */
  readonly isInGracePeriod: boolean;
}

export type StandingOf = (user: CurrentUser) => Promise<AccountStanding>;
