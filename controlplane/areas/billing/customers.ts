import type { Queryable } from '../../storage/postgres/database.js';
import { customerRepository } from './customer-repository.js';
import type { BillingProvider } from './provider.js';

/** Finds the provider's id of a user. Creates the customer at the provider on first use. */
export async function customerOf(
  database: Queryable,
  provider: BillingProvider,
  user: { readonly id: string; readonly email: string | null },
): Promise<string> {
  const known = await customerRepository.find(database, user.id, provider.name);
  if (known !== undefined) return known;
  const customerId = await provider.createCustomer({ id: user.id, email: user.email });
  await customerRepository.insert(database, user.id, provider.name, customerId);
  return (await customerRepository.find(database, user.id, provider.name)) ?? customerId;
}
