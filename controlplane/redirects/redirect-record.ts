import { type Plan, UNLIMITED } from '../accounts/plans.js';
import type { MonthlyUsage } from '../analytics/usage.js';
import { verificationRecord } from '../domains/verification-report.js';
import type { Redirect } from './redirect.js';
import type { RedirectRecord } from './redirect-schema.js';

const APPROACHING_SHARE = 0.8;

/** The redirect as the API shows it. */
export function redirectRecord(
  redirect: Redirect,
  plan: Plan,
  usage: MonthlyUsage,
  now: Date,
): RedirectRecord {
  return {
    id: redirect.id,
    fromDomain: redirect.fromDomain,
    toDomain: redirect.toDomain,
    redirectType: redirect.redirectType,
    pathForwarding: redirect.pathForwarding,
    queryForwarding: redirect.queryForwarding,
    samplingRate: redirect.samplingRate,
    isVerified: redirect.verifiedAt !== null,
    status: redirect.verifiedAt === null ? 'pending' : 'active',
    verification: verificationRecord(redirect.fromDomain, redirect.verificationValue),
    userID: redirect.userId,
    createdAt: redirect.createdAt.toISOString(),
    updatedAt: redirect.updatedAt.toISOString(),
    verifiedAt: redirect.verifiedAt?.toISOString() ?? null,
    analyticsUsage: {
      ...usage,
      samplingRate: redirect.samplingRate,
      month: now.toISOString().slice(0, 7),
      planLimit: plan.perRedirect.maxAnalyticsEventsPerMonth,
      ...limitState(usage.recordedHits, plan.perRedirect.maxAnalyticsEventsPerMonth),
    },
  };
}

function limitState(used: number, limit: number) {
  if (limit === UNLIMITED)
    return { usagePercentage: 0, limitStatus: 'within_limit', canRecordMore: true } as const;
  const share = used / limit;
  const usagePercentage = Math.round(share * 10_000) / 100;
  if (share >= 1) return { usagePercentage, limitStatus: 'limit_reached', canRecordMore: false } as const;
  const limitStatus = share >= APPROACHING_SHARE ? 'approaching_limit' : 'within_limit';
  return { usagePercentage, limitStatus, canRecordMore: true } as const;
}
