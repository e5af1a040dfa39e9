import type { Redirect } from './redirect.js';

export const REDIRECT_STATUSES = ['pending', 'active', 'disabled', 'scheduled', 'ended'] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

type Deciding = Pick<Redirect, 'verifiedAt' | 'enabled' | 'startsAt' | 'endsAt'>;

/** Returns the status at a time. The first that applies counts, in the order pending, disabled, ended, scheduled. */
export function statusOf({ verifiedAt, enabled, startsAt, endsAt }: Deciding, nowMs: number): RedirectStatus {
  if (verifiedAt === null) return 'pending';
  if (!enabled) return 'disabled';
  if (endsAt !== null && endsAt.getTime() <= nowMs) return 'ended';
  return startsAt !== null && startsAt.getTime() > nowMs ? 'scheduled' : 'active';
}

/** SQL with the result of `statusOf` for a row of `redirects`. */
export const STATUS_SQL = `CASE WHEN verified_at IS NULL THEN 'pending' WHEN NOT enabled THEN 'disabled'
  WHEN ends_at <= now() THEN 'ended' WHEN starts_at > now() THEN 'scheduled' ELSE 'active' END`;

/** The condition of a partial index. */
const NOT_ALWAYS_SERVED = '(NOT enabled OR starts_at IS NOT NULL OR ends_at IS NOT NULL)';

/** SQL conditions for rows of `redirects` with a status, in a form that lets the planner use indexes. */
export const HAS_STATUS: Readonly<Record<RedirectStatus, string>> = {
  pending: 'verified_at IS NULL',
  active: `${STATUS_SQL} = 'active'`,
  disabled: `${NOT_ALWAYS_SERVED} AND verified_at IS NOT NULL AND NOT enabled`,
  scheduled: `${NOT_ALWAYS_SERVED} AND ${STATUS_SQL} = 'scheduled'`,
  ended: `${NOT_ALWAYS_SERVED} AND ${STATUS_SQL} = 'ended'`,
};

/** Returns the next time at which the status changes without a request; infinity for never. */
export function nextStatusChangeMs({ startsAt, endsAt }: Deciding, nowMs: number): number {
  const times = [startsAt, endsAt].flatMap((date) => (date === null ? [] : [date.getTime()]));
  return Math.min(...times.filter((timeMs) => timeMs > nowMs), Number.POSITIVE_INFINITY);
}
