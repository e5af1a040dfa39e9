import { messageOf } from '../process/error-facts.js';

/**
 * Waits for the end of all of them, whatever becomes of some.
 *
 * @throws {AggregateError} of what those have rejected with that failed
 */
export async function allEnded(works: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (reasons.length === 0) return;
  throw new AggregateError(reasons, reasons.map((reason) => messageOf(reason)).join('; '));
}
