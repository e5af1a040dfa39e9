import type { Queryable } from '../../storage/postgres/database.js';
import type { BillingProvider } from './provider.js';

/** All SQL about the providers' ids of users. */
export const customerRepository = {
  async find(source: Queryable, userId: string, provider: string): Promise<string | undefined> {
    const [row] = await source.query<{ customer_id: string }>(
      'SELECT customer_id FROM billing_customers WHERE user_id = $1 AND provider = $2',
      [userId, provider],
    );
    return row?.customer_id;
  },

  /** Stores the first id that a provider gave to a user. */
  async insert(tx: Queryable, userId: string, provider: string, customerId: string): Promise<void> {
    await tx.query(
      `INSERT INTO billing_customers (user_id, provider, customer_id) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING`,
      [userId, provider, customerId],
    );
  },
};

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
