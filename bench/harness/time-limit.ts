import { within } from '../../shared/async/deadline.js';

/**
 * Resolves with the result of `work`, or rejects when it takes longer. The work continues; the end of the benchmark ends what
 * it started.
 *
 * @param what completes "… took longer than N s"
 */
export function withinTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  return within(limitMs, () => new Error(`${what} took longer than ${limitMs / 1000} s`), work);
}
