import { messageOf } from '../process/error-facts.js';

/**
 * Waits until all promises have settled, even if some reject.
 *
 * @throws {AggregateError} with the errors of all rejected promises
 */
export async function allEnded(works: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (reasons.length === 0) return;
  throw new AggregateError(reasons, reasons.map((reason) => messageOf(reason)).join('; '));
}
