import { messageOf } from '../process/error-facts.js';

/**
 * Waits until all of them have ended, even if some fail.
 *
 * @throws {AggregateError} of the errors
 */
export async function allEnded(works: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (reasons.length === 0) return;
  throw new AggregateError(reasons, reasons.map((reason) => messageOf(reason)).join('; '));
}
