import type { Queryable } from '../../storage/postgres/database.js';
import type { SubscriptionSnapshot } from './provider.js';
import { transactionRepository } from './transaction-repository.js';

/**
 * A subscription with its days of grace counted from the first charge that has failed since one was last paid.
 * Periods follow each other while nothing is paid, and the report of a subscription knows only the last one; the
 * charges are known in whatever order they are told.
 *
 * @param provider whose subscription it is
 */
export async function withGraceFromFirstFailure<Owed extends SubscriptionSnapshot>(
  source: Queryable,
  provider: string,
  subscription: Owed,
): Promise<Owed> {
  if (subscription.pastDueSince === null) return subscription;
  const dueAt = await transactionRepository.firstUnpaidCycle(source, provider, subscription.id);
  return dueAt === undefined ? subscription : { ...subscription, pastDueSince: dueAt };
}
