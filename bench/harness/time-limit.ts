import { within } from '../../shared/async/deadline.js';

/**
 * Resolves with the result of `work`, or rejects when it takes longer. The work itself is not stopped; it ends with the
 * benchmark.
 *
 * @param what the subject of "… took longer than N s"
 */
export function withinTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  return within(limitMs, () => new Error(`${what} took longer than ${limitMs / 1000} s`), work);
}
