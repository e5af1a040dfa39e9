import { setTimeout as pause } from 'node:timers/promises';
import { readUrl } from '../../../shared/process/read-url.js';
import type { CheckError, CheckResult, FollowedRedirect } from './check-result.js';
import type { Answer, RequestDestination } from './destination-request.js';
import { siteOf } from './used-destinations.js';

/** Maximum redirects that a check follows. */
const MAX_REDIRECTS = 10;
/** Maximum length of a stored location. */
const MAX_LOCATION_LENGTH = 2_048;
const REQUEST_TIMEOUT_MS = 10_000;
/** Time limit for all requests of a check and the pauses between them. */
const CHECK_TIMEOUT_MS = 60_000;

/** Requests a destination like a visitor. Resolves to undefined if the site was busy. Rejects if `signal` ends it. */
export type CheckDestination = (url: string, signal: AbortSignal) => Promise<CheckResult | undefined>;

export interface DestinationCheckDeps {
  readonly request: RequestDestination;
  readonly takeTurn: TakeTurn;
  readonly requestTimeoutMs?: number | undefined;
}

/** Errors that do not depend on the method of the request. */
const SAME_FOR_GET: ReadonlySet<CheckError> = new Set([
  'address_refused',
  'name_not_resolved',
  'tls_failed',
  'certificate_expired',
]);

/**
 * Creates checks. At each step of a chain of redirects, a check sends HEAD, and GET if the server does not answer HEAD
 * correctly.
 */
export function createDestinationCheck(deps: DestinationCheckDeps): CheckDestination {
  const { request, takeTurn, requestTimeoutMs = REQUEST_TIMEOUT_MS } = deps;

  /** Sends a request in the next free time slot of the site. Resolves to undefined if no slot is free soon. */
  async function send(method: 'HEAD' | 'GET', url: URL, way: Way, signal: AbortSignal) {
    const waitMs = takeTurn(siteOf(url), way.endsAtMs - performance.now());
    if (waitMs === undefined) return undefined;
    if (waitMs > 0) await pause(waitMs, undefined, { signal });
    const startedMs = performance.now();
    const answer = await request(
      method,
      url,
      AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    );
    signal.throwIfAborted();
    if (typeof answer !== 'string') way.responseTimeMs += performance.now() - startedMs;
    return answer;
  }

  async function step(url: URL, way: Way, signal: AbortSignal): Promise<Answer | CheckError | undefined> {
    const head = await send('HEAD', url, way, signal);
    if (head === undefined || isFinal(head)) return head;
    return send('GET', url, way, signal);
  }

  return async (start, signal) => {
    const way: Way = {
      endsAtMs: performance.now() + CHECK_TIMEOUT_MS,
      responseTimeMs: 0,
      redirects: [],
      tlsExpiresAt: undefined,
    };
    const seen = new Set<string>();
    let url = readUrl(start);
    for (;;) {
      if (url === undefined || !/^https?:$/.test(url.protocol)) return resultOf(way, 'invalid_redirect');
      if (seen.has(url.href)) return resultOf(way, 'redirect_loop');
      if (way.redirects.length > MAX_REDIRECTS) return resultOf(way, 'too_many_redirects');
      seen.add(url.href);
      const answer = await step(url, way, signal);
      if (answer === undefined) return undefined;
      if (typeof answer === 'string') return resultOf(way, answer);
      noteExpiry(way, answer);
      const { statusCode, location } = answer;
      if (location === undefined || !isRedirect(statusCode)) return resultOf(way, null, answer);
      way.redirects.push({ statusCode, location: location.slice(0, MAX_LOCATION_LENGTH) });
      url = resolved(location, url);
    }
  };
}

/** State of a running check. */
interface Way {
  readonly endsAtMs: number;
  responseTimeMs: number;
  readonly redirects: FollowedRedirect[];
  tlsExpiresAt: Date | undefined;
}

/** Returns whether GET would add nothing to this answer to HEAD. */
function isFinal(head: Answer | CheckError): boolean {
  if (typeof head === 'string') return SAME_FOR_GET.has(head);
  return head.statusCode < 400 || head.statusCode === 429 || head.retryAfterSeconds !== undefined;
}

function isRedirect(statusCode: number): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}

function resolved(location: string, base: URL): URL | undefined {
  try {
    const url = new URL(location, base);
    url.hash = '';
    return url;
  } catch {
    return undefined;
  }
}

function noteExpiry(way: Way, { tlsExpiresAt }: Answer): void {
  if (tlsExpiresAt === undefined) return;
  if (way.tlsExpiresAt === undefined || tlsExpiresAt < way.tlsExpiresAt) way.tlsExpiresAt = tlsExpiresAt;
}

function resultOf(way: Way, error: CheckError | null, last?: Answer): CheckResult {
  return {
    statusCode: last?.statusCode ?? null,
    error,
    redirects: way.redirects.slice(0, MAX_REDIRECTS),
    tlsExpiresAt: way.tlsExpiresAt?.toISOString() ?? null,
    responseTimeMs: way.responseTimeMs > 0 ? Math.max(1, Math.round(way.responseTimeMs)) : null,
    ...(last?.retryAfterSeconds !== undefined && { retryAfterSeconds: last.retryAfterSeconds }),
  };
}

/** Maximum sites that are remembered. */
const MAX_SITES = 10_000;

/**
 * Takes the next free time slot of a site. Returns the wait until then in ms; undefined when it is more than `maxMs`.
 */
type TakeTurn = (site: string, maxMs: number) => number | undefined;

/**
 * Spreads the requests of this process to one site over time.
 *
 * @param intervalMs minimum time between two requests to a site
 */
export function createSitePauses(intervalMs: number): TakeTurn {
  /** Next free time slot by site. */
  const freeAt = new Map<string, number>();

  function forgetPast(nowMs: number): void {
    for (const [site, ms] of freeAt) if (ms <= nowMs) freeAt.delete(site);
  }

  return (site, maxMs) => {
    const nowMs = performance.now();
    if (freeAt.size >= MAX_SITES) forgetPast(nowMs);
    const atMs = Math.max(nowMs, freeAt.get(site) ?? 0);
    if (atMs - nowMs > maxMs) return undefined;
    freeAt.set(site, atMs + intervalMs);
    return atMs - nowMs;
  };
}
