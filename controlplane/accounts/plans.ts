export type PlanName = 'free' | 'pro' | 'business';

/** No limit. */
export const UNLIMITED = -1;

/** What a plan allows. Numbers are -1 where there is no limit. */
export interface Plan {
  readonly name: PlanName;
  /** Requests to the API in a window of 60 s. */
  readonly requestsPerMinute: number;
  readonly maxRedirects: number;
  readonly perRedirect: {
    readonly maxAnalyticsEventsPerMonth: number;
    readonly maxRulesPerRedirect: number;
  };
}

/** The plan a user is on at this moment. */
export type PlanOf = (userId: string) => Promise<Plan>;

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    name: 'free',
    requestsPerMinute: 60,
    maxRedirects: 5,
    perRedirect: { maxAnalyticsEventsPerMonth: 10_000, maxRulesPerRedirect: 10 },
  },
  pro: {
    name: 'pro',
    requestsPerMinute: 600,
    maxRedirects: 100,
    perRedirect: { maxAnalyticsEventsPerMonth: 1_000_000, maxRulesPerRedirect: 100 },
  },
  business: {
    name: 'business',
    requestsPerMinute: 3000,
    maxRedirects: UNLIMITED,
    perRedirect: { maxAnalyticsEventsPerMonth: UNLIMITED, maxRulesPerRedirect: UNLIMITED },
  },
};
