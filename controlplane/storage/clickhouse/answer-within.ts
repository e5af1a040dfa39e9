import { within } from '../../../shared/async/deadline.js';
import type { QueryLimits } from './analytics-store.js';
import { AnalyticsStoreError } from './store-error.js';

/** Limits of statements whose answer is cached: an answer that is too late for one caller serves the next. */
export const KEPT_ANSWER_LIMITS: QueryLimits = { withinMs: 5_000 };

/**
 * Returns the result of `work` if it arrives in time. For callers that can continue without the result while the store
 * is busy with a heavy query. Does not end the work, so its statements need their own time limit (`withinMs`).
 *
 * @throws AnalyticsStoreError `unavailable` after `timeoutMs`
 */
export function answerWithin<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = () => new AnalyticsStoreError('unavailable', new Error(`no answer within ${timeoutMs} ms`));
  return within(timeoutMs, late, work);
}
