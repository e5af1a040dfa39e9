/** Reasons why a check got no answer. */
export const CHECK_ERRORS = [
  'address_refused',
  'name_not_resolved',
  'timed_out',
  'connection_failed',
  'tls_failed',
  'certificate_expired',
  'redirect_loop',
  'too_many_redirects',
  'invalid_redirect',
] as const;
export type CheckError = (typeof CHECK_ERRORS)[number];

/** A redirect that a check followed. */
export interface FollowedRedirect {
  readonly statusCode: number;
  readonly location: string;
}

/** The outcome of one check. */
export interface CheckResult {
  /** Status of the last answer; null without one. */
  readonly statusCode: number | null;
  readonly error: CheckError | null;
  readonly redirects: readonly FollowedRedirect[];
  /** ISO 8601: the first certificate in the chain of redirects to expire; null without TLS. */
  readonly tlsExpiresAt: string | null;
  /** Time that servers took to answer all requests of the check; null without an answer. */
  readonly responseTimeMs: number | null;
  /** Wait that the server requested. */
  readonly retryAfterSeconds?: number;
}

export type DestinationState = 'unknown' | 'ok' | 'broken';

/** Facts of a destination that decide its next state. */
export interface Standing {
  readonly state: DestinationState;
  /** Failed checks in a row. */
  readonly failures: number;
  readonly failingSince: Date | null;
}

export interface NextStanding extends Standing {
  readonly delaySeconds: number;
  /** Event for users; null for none. */
  readonly event: 'broken' | 'recovered' | null;
}

/** Status codes of servers that work but do not serve every client. */
const TOLERATED = new Set([401, 403, 405, 429]);

/** Number of consecutive failed checks, over at least the time below, after which a destination is broken. */
export const BROKEN_AFTER_FAILURES = 3;
export const BROKEN_AFTER_MS = 15 * 60_000;

const DAY_SECONDS = 86_400;
const RETRY_SECONDS = 600;
const MAX_RETRY_SECONDS = 6 * 3_600;

/** Returns whether a check counts as failed; undefined if it has no result, because no request was allowed. */
export function isFailed({ statusCode, error }: CheckResult): boolean | undefined {
  if (error === 'address_refused') return undefined;
  if (error !== null) return true;
  return statusCode !== null && statusCode >= 400 && !TOLERATED.has(statusCode);
}

/** Returns the state of a destination after a check, and when the next check is due. */
export function standingAfter(before: Standing, result: CheckResult, nowMs: number): NextStanding {
  const failed = isFailed(result);
  const next = failed === true ? afterFailure(before, nowMs) : afterAnswer(before, failed);
  // Longer waits are limited: otherwise a server could end all checks.
  const askedSeconds = Math.min(result.retryAfterSeconds ?? 0, DAY_SECONDS);
  return { ...next, delaySeconds: Math.max(next.delaySeconds, askedSeconds) };
}

function afterAnswer({ state }: Standing, failed: false | undefined): NextStanding {
  const isOk = failed === false;
  return {
    state: isOk ? 'ok' : 'unknown',
    failures: 0,
    failingSince: null,
    delaySeconds: DAY_SECONDS,
    event: isOk && state === 'broken' ? 'recovered' : null,
  };
}

function afterFailure(before: Standing, nowMs: number): NextStanding {
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? new Date(nowMs);
  const isLong = failures >= BROKEN_AFTER_FAILURES && nowMs - failingSince.getTime() >= BROKEN_AFTER_MS;
  const isBroken = before.state === 'broken' || isLong;
  const doublings = Math.max(0, Math.min(failures - BROKEN_AFTER_FAILURES, 10));
  return {
    state: isBroken ? 'broken' : before.state,
    failures,
    failingSince,
    delaySeconds: Math.min(RETRY_SECONDS * 2 ** doublings, MAX_RETRY_SECONDS),
    event: isBroken && before.state !== 'broken' ? 'broken' : null,
  };
}
