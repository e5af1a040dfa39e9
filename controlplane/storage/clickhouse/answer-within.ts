import type { QueryLimits } from './analytics-store.js';
import { AnalyticsStoreError } from './store-error.js';

/** Limits of statements whose answer is cached: an answer that is late for one caller serves the next. */
export const KEPT_ANSWER_LIMITS: QueryLimits = { withinMs: 5_000 };

/**
 * What `work` gives, if it does so in time: the store may be busy with somebody's heavy question, and there is
 * something to show without its answer. The work goes on; its statements should have a limit of their own (`withinMs`).
 *
 * @throws AnalyticsStoreError `unavailable` after `timeoutMs`
 */
export async function answerWithin<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const late = () => new AnalyticsStoreError('unavailable', new Error(`no answer within ${timeoutMs} ms`));
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
