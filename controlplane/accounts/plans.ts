import type { Queryable } from '../database/database.js';

/** No limit. */
export const UNLIMITED = -1;

/** What a plan costs and allows. Limits are -1 where there is none. */
export interface Plan {
  readonly id: string;
  /** As people read it. */
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

export type PlanName = 'free' | 'pro' | 'business';

const everywhere = { rules: true, experiments: true, rawHits: true, export: true, webhooks: true };

/** The plans there are unless a file names others. */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    id: 'free',
    name: 'Free',
    description: 'For trying out and for a handful of domains.',
    pricing: { amount: 0, currency: 'usd', interval: 'month', trialDays: 0 },
    requestsPerMinute: 300,
    maxRedirects: 5,
    perRedirect: { maxAnalyticsEventsPerMonth: 10_000, maxRulesPerRedirect: 10, analyticsRetentionDays: 30 },
    gracePeriodDays: 0,
    features: { ...everywhere, prioritySupport: false },
    isActive: true,
    tier: 0,
  },
  pro: {
    id: 'pro',
    name: 'Pro',
    description: 'For companies with many domains and a year of statistics.',
    pricing: { amount: 2900, currency: 'usd', interval: 'month', trialDays: 0 },
    requestsPerMinute: 1200,
    maxRedirects: 100,
    perRedirect: {
      maxAnalyticsEventsPerMonth: 1_000_000,
      maxRulesPerRedirect: 100,
      analyticsRetentionDays: 365,
    },
    gracePeriodDays: 7,
    features: { ...everywhere, prioritySupport: false },
    isActive: true,
    tier: 1,
  },
  business: {
    id: 'business',
    name: 'Business',
    description: 'Without limits, and two years of statistics.',
    pricing: { amount: 9900, currency: 'usd', interval: 'month', trialDays: 14 },
    requestsPerMinute: 6000,
    maxRedirects: UNLIMITED,
    perRedirect: {
      maxAnalyticsEventsPerMonth: UNLIMITED,
      maxRulesPerRedirect: UNLIMITED,
      analyticsRetentionDays: 730,
    },
    gracePeriodDays: 14,
    features: { ...everywhere, prioritySupport: true },
    isActive: true,
    tier: 2,
  },
};
