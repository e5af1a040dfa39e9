import { type Plan, UNLIMITED } from '../../plan.js';

export type PlanName = 'free' | 'pro' | 'business';

const everywhere = { rules: true, experiments: true, rawHits: true, export: true, webhooks: true };

/** The plans of an installation without PLANS_FILE. */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    id: 'free',
    name: 'Free',
    description: 'For trying out and for a handful of domains.',
    pricing: { amount: 0, currency: 'usd', interval: 'month', trialDays: 0 },
    requestsPerMinute: 300,
    maxRedirects: 5,
    perRedirect: {
      maxAnalyticsEventsPerMonth: 10_000,
      maxRulesPerRedirect: 10,
      maxPathsPerRedirect: 10_000,
      analyticsRetentionDays: 30,
    },
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
      maxPathsPerRedirect: 50_000,
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
      maxPathsPerRedirect: UNLIMITED,
      analyticsRetentionDays: 730,
    },
    gracePeriodDays: 14,
    features: { ...everywhere, prioritySupport: true },
    isActive: true,
    tier: 2,
  },
};
