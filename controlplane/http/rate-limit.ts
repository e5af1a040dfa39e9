import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../errors/app-error.js';
import type { Plan } from '../plan.js';
import type { Identity } from './authentication.js';
import type { CallerKeyOf } from './caller-address.js';
import { callerKey } from './caller-address.js';
import { isPreflight } from './cors.js';
import type { RequestWindow } from './rate-limit-store.js';
import { createLocalRateLimitStore, type RateLimitStore, WINDOW_SECONDS } from './rate-limit-store.js';
import { tooManyRequests } from './too-many-requests.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether answers carry the headers without being counted, as for probes and the documentation. */
    uncounted?: boolean;
  }
  interface FastifyRequest {
    /** Set when the request exceeds the limit. */
    rateLimitRefusal: AppError | undefined;
  }
}

export interface RateLimitOptions {
  /** Plan whose rate applies to callers without a user. */
  readonly defaultPlan: Plan;
  /** Scales every plan's rate. */
  readonly multiplier: number;
  /** Default: counts in this process only. */
  readonly store?: RateLimitStore;
}

export interface RateLimitDeps extends RateLimitOptions {
  readonly callerKeyOf: CallerKeyOf;
}

export interface RateLimit {
  /** Counts a request and sets the headers. Resolves to the refusal, RATE_LIMIT_EXCEEDED, if it exceeds the limit. */
  count(request: FastifyRequest, reply: FastifyReply): Promise<AppError | undefined>;
  /** Counts bytes that are no HTTP request, by the peer's address. Resolves to the headers of the answer. */
  countUnreadable(address: string): Promise<Readonly<Record<string, number>>>;
}

/**
 * Counts requests per user, or per caller key without a user, in windows of 60 s, and sets the headers on every answer.
 * Applies the limit of the caller's current plan, so a new plan takes effect immediately. Preflights do not count: a
 * browser sends one before most requests, without the token that identifies the user.
 */
export function createRateLimit(deps: RateLimitDeps): RateLimit {
  const { defaultPlan, multiplier, callerKeyOf, store = createLocalRateLimitStore(WINDOW_SECONDS) } = deps;

  return {
    async count(request, reply) {
      // A request whose URL cannot be parsed is refused before authentication.
      const identity = request.identity as Identity | undefined;
      const user = identity !== undefined && 'user' in identity ? identity.user : undefined;
      const key = user === undefined ? callerKeyOf(request) : `user:${user.id}`;
      const limit = limitOf(user?.plan ?? defaultPlan, multiplier);
      const isUnknown = identity !== undefined && isUnknownAuthPath(request);
      const isExempt = request.routeOptions.config?.uncounted === true || isUnknown || isPreflight(request);
      const counted = !isExempt;
      const window = counted ? await store.consume(key) : await store.get(key);
      reply.headers(headersOf(limit, window));
      if (!counted || window === null || window.count <= limit) return undefined;
      return tooManyRequests(`The limit of ${limit} requests a minute is used up.`, window.msBeforeNext);
    },
    countUnreadable: async (address) =>
      headersOf(limitOf(defaultPlan, multiplier), await store.consume(callerKey(address, undefined))),
  };
}

/** Session libraries request unknown paths under `/auth` many times a second. These requests do not count. */
function isUnknownAuthPath({ is404, url }: FastifyRequest): boolean {
  return is404 && /^\/auth(?:[/?]|$)/.test(url);
}

function limitOf(plan: Plan, multiplier: number): number {
  return Math.max(1, Math.floor(plan.requestsPerMinute * multiplier));
}

/** @param window `null`: nothing was counted yet */
function headersOf(limit: number, window: RequestWindow | null): Readonly<Record<string, number>> {
  const resetMs = window?.msBeforeNext ?? WINDOW_SECONDS * 1000;
  return {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': Math.max(0, limit - (window?.count ?? 0)),
    'X-RateLimit-Reset': Math.ceil((Date.now() + Math.round(resetMs)) / 1000),
  };
}
