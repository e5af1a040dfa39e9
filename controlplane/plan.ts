import type { Queryable } from './storage/postgres/database.js';

/** No limit. */
export const UNLIMITED = -1;

/** Price and limits of a plan. A limit of -1 means unlimited. */
export interface Plan {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly description: string;
  readonly pricing: {
    /** Amount in the smallest unit of the currency. 0 means that there is nothing to pay or to subscribe to. */
    readonly amount: number;
    /** ISO 4217, in lower case. */
    readonly currency: string;
    readonly interval: 'month' | 'year';
    /** Days before the first charge. */
    readonly trialDays: number;
  };
  /** Requests to the API in a window of 60 s. */
  readonly requestsPerMinute: number;
  readonly maxRedirects: number;
  readonly perRedirect: {
    readonly maxAnalyticsEventsPerMonth: number;
    readonly maxRulesPerRedirect: number;
    /** Entries of its table of paths. */
    readonly maxPathsPerRedirect: number;
    readonly analyticsRetentionDays: number;
  };
  /** Days of access after a charge has failed. */
  readonly gracePeriodDays: number;
  readonly features: Readonly<Record<string, boolean>>;
  /** Whether it can be subscribed to; who is on it already stays. */
  readonly isActive: boolean;
  /** Orders plans: the higher offers more. */
  readonly tier: number;
}

/** Whether no event is recorded on the plan, from the first on. */
export function recordsNothing({ perRedirect }: Plan): boolean {
  return perRedirect.maxAnalyticsEventsPerMonth === 0;
}

/** The plan a user is on at this moment. */
export type PlanOf = (userId: string) => Promise<Plan>;

/** The plans of many users, as `source` sees them. */
export type PlansOf = (source: Queryable, userIds: readonly string[]) => Promise<ReadonlyMap<string, Plan>>;
