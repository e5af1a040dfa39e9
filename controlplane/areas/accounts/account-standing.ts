import { type Static, Type } from 'typebox';
import type { CurrentUser } from '../../http/current-user.js';
import { time } from '../../http/schema-parts.js';

export const UsageStatsSchema = Type.Object(
  {
    redirectsUsed: Type.Integer({
      description: 'Number of active redirects. `maxRedirects` also limits pending ones.',
    }),
    redirectsPending: Type.Integer({ description: 'Number of redirects whose domain is not verified yet.' }),
    maxRedirects: Type.Integer({ description: 'Limit of the plan. -1 means unlimited.' }),
    canCreateRedirect: Type.Boolean({ description: 'Whether the plan allows another redirect.' }),
    totalAnalyticsEvents: Type.Integer({ description: 'Events recorded in this billing period.' }),
    lastUsageUpdate: time,
  },
  { title: 'UsageStats' },
);

/** A user's usage of the plan. */
export type UsageStats = Static<typeof UsageStatsSchema>;

/** A user's usage and the state of the subscription. */
export interface AccountStanding {
  readonly usage: UsageStats;
  /** `null`: the user is not on trial. */
  readonly trialEndsAt: Date | null;
  /** Whether a payment failed and access continues during the grace period. */
  readonly isInGracePeriod: boolean;
}

export type StandingOf = (user: CurrentUser) => Promise<AccountStanding>;
