import { within } from '../../../shared/async/deadline.js';
import type { QueryLimits } from './analytics-store.js';
import { AnalyticsStoreError } from './store-error.js';

/** Limits of statements whose answer is cached: an answer that is too late for one caller serves the next. */
export const KEPT_ANSWER_LIMITS: QueryLimits = { withinMs: 5_000 };

/**
 * Returns the result of `work` if it comes in time. The store may be busy with a heavy query, and callers can do without the
 * result. The work continues; its statements should have a limit of their own (`withinMs`).
 *
 * @throws AnalyticsStoreError `unavailable` after `timeoutMs`
 */
export function answerWithin<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = () => new AnalyticsStoreError('unavailable', new Error(`no answer within ${timeoutMs} ms`));
  return within(timeoutMs, late, work);
}
