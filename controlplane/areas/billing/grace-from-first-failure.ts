import type { Queryable } from '../../storage/postgres/database.js';
import type { SubscriptionSnapshot } from './provider.js';
import { transactionRepository } from './transaction-repository.js';

/**
 * Returns a subscription whose grace period begins with the first failed charge after the last paid one. A new period
 * begins even if nothing is paid, and the provider's report covers only the last period. The result does not depend on
 * the order of the reports of charges.
 *
 * @param provider provider of the subscription
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
