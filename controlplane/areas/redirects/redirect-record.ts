import { type Plan, UNLIMITED } from '../../plan.js';
import type { MonthlyUsage } from '../analytics/public.js';
import { verificationRecord } from '../domains/public.js';
import type { Redirect } from './redirect.js';
import type { RedirectRecord } from './redirect-schema.js';
import { statusOf } from './redirect-status.js';

const APPROACHING_SHARE = 0.8;

export const NO_USAGE: MonthlyUsage = { recordedHits: 0, estimatedTotalHits: 0 };

/** Returns the month in which usage is counted now: `YYYY-MM`, in UTC. */
export function currentMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

/**
 * Returns the redirect as the API shows it.
 *
 * @param month of the usage, in UTC: `YYYY-MM`
 */
export function redirectRecord(
  redirect: Redirect,
  plan: Plan,
  usage: MonthlyUsage,
  month: string,
  certificate: RedirectRecord['certificate'] = null,
): RedirectRecord {
  const { maxAnalyticsEventsPerMonth } = plan.perRedirect;
  const { usagePercentage, limitStatus, canRecordMore } = limitState(
    usage.recordedHits,
    maxAnalyticsEventsPerMonth,
  );
  // Members are written one by one: object spread took 600 µs instead of 130 for a hundred records.
  return {
    id: redirect.id,
    fromDomain: redirect.fromDomain,
    toDomain: redirect.toDomain,
    redirectType: redirect.redirectType,
    pathForwarding: redirect.pathForwarding,
    queryForwarding: redirect.queryForwarding,
    samplingRate: redirect.samplingRate,
    cacheSeconds: redirect.cacheSeconds,
    queryRecording: redirect.queryRecording,
    statusCode: redirect.statusCode,
    enabled: redirect.enabled,
    tags: redirect.tags as string[],
    note: redirect.note,
    externalId: redirect.externalId,
    startsAt: redirect.startsAt?.toISOString() ?? null,
    endsAt: redirect.endsAt?.toISOString() ?? null,
    afterEnd: redirect.afterEnd,
    responseHeaders: redirect.responseHeaders,
    appendQuery: redirect.appendQuery,
    httpsMode: redirect.httpsMode,
    hsts: redirect.hsts,
    clickIdParam: redirect.clickIdParam,
    notFound: redirect.notFound,
    isVerified: redirect.verifiedAt !== null,
    status: statusOf(redirect, Date.now()),
    verification: verificationRecord(redirect.fromDomain, redirect.verificationValue),
    userID: redirect.userId,
    createdAt: redirect.createdAt.toISOString(),
    updatedAt: redirect.updatedAt.toISOString(),
    verifiedAt: redirect.verifiedAt?.toISOString() ?? null,
    certificate,
    pathCount: redirect.pathCount,
    version: redirect.version,
    analyticsUsage: {
      recordedHits: usage.recordedHits,
      estimatedTotalHits: usage.estimatedTotalHits,
      samplingRate: redirect.samplingRate,
      month,
      planLimit: maxAnalyticsEventsPerMonth,
      usagePercentage,
      limitStatus,
      canRecordMore,
    },
  };
}

function limitState(used: number, limit: number) {
  if (limit === UNLIMITED)
    return { usagePercentage: 0, limitStatus: 'within_limit', canRecordMore: true } as const;
  // A plan without recorded events has none left from the start.
  const share = limit === 0 ? 1 : used / limit;
  const usagePercentage = Math.round(share * 10_000) / 100;
  if (share >= 1) return { usagePercentage, limitStatus: 'limit_reached', canRecordMore: false } as const;
  const limitStatus = share >= APPROACHING_SHARE ? 'approaching_limit' : 'within_limit';
  return { usagePercentage, limitStatus, canRecordMore: true } as const;
}
