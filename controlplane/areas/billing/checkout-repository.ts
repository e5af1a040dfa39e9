import { asMembers, membersFor } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { CheckoutStatus } from './billing-states.js';
import type { CheckoutPayment, CheckoutPrice } from './provider.js';
import { RUNNING } from './subscription-repository.js';

/** A stored checkout session. */
export interface Checkout {
  readonly id: string;
  readonly userId: string;
  readonly planId: string;
  readonly provider: string;
  readonly providerCheckoutId: string;
  readonly url: string;
  readonly status: CheckoutStatus;
  readonly subscriptionId: string | null;
  readonly trialDays: number;
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
  /** URL for the user after payment; `null` for the dashboard. */
  readonly successUrl: string | null;
  /** URL for a user who cancels the checkout; `null` for the dashboard. */
  readonly cancelUrl: string | null;
  /** `null`: the price of the plan. */
  readonly price: CheckoutPrice | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
}

/** Returns a session with its current status. An open session expires by the clock, without an event. */
export function atTime(checkout: Checkout, nowMs: number): Checkout {
  const isExpired = checkout.status === 'open' && checkout.expiresAt.getTime() <= nowMs;
  return isExpired ? { ...checkout, status: 'expired' } : checkout;
}

const COLUMNS = `id, user_id, plan_id, provider, provider_checkout_id, url, status, subscription_id, trial_days,
  expires_at, completed_at, created_at, success_url, cancel_url, price, customer_name, customer_email`;
const SELECTED = asMembers(COLUMNS);

/** All SQL about checkout sessions. */
export const checkoutRepository = {
  /**
   * Adds a session. If the provider returns the page of an earlier open session, the new session replaces it: there is
   * only one page, and it sells the latest choice.
   *
   * @returns false without a change if the page belongs to another user, was paid or was given up
   */
  async insert(tx: Queryable, checkout: Checkout): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO checkouts (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
         $15::text::jsonb, $16, $17)
       ON CONFLICT (provider, provider_checkout_id) DO UPDATE
         SET (${COLUMNS}) = (${COLUMNS.replaceAll(/\w+/g, 'excluded.$&')})
         WHERE checkouts.user_id = excluded.user_id AND checkouts.status = 'open'
       RETURNING 1`,
      membersFor(COLUMNS, { ...checkout, price: checkout.price && JSON.stringify(checkout.price) }),
    );
    return rows.length > 0;
  },

  async findById(source: Queryable, id: string): Promise<Checkout | undefined> {
    const [row] = await source.query<Checkout>(`SELECT ${SELECTED} FROM checkouts WHERE id = $1`, [id]);
    return row;
  },

  /** Finds a checkout by the provider's id and locks it until the transaction ends. */
  async findByProviderId(
    tx: Queryable,
    provider: string,
    providerCheckoutId: string,
  ): Promise<Checkout | undefined> {
    const [row] = await tx.query<Checkout>(
      `SELECT ${SELECTED} FROM checkouts WHERE provider = $1 AND provider_checkout_id = $2 FOR UPDATE`,
      [provider, providerCheckoutId],
    );
    return row;
  },

  /** Resolves to whether another session has started or changed the subscription. */
  async hasPaidBefore(tx: Queryable, subscriptionId: string, exceptId: string): Promise<boolean> {
    const rows = await tx.query(
      "SELECT 1 FROM checkouts WHERE subscription_id = $1 AND status = 'complete' AND id <> $2 LIMIT 1",
      [subscriptionId, exceptId],
    );
    return rows.length > 0;
  },

  /** @param payment `undefined` keeps the stored value */
  async setStatus(
    tx: Queryable,
    id: string,
    { status, subscriptionId, completedAt }: Pick<Checkout, 'status' | 'subscriptionId' | 'completedAt'>,
    payment: CheckoutPayment | undefined,
  ): Promise<void> {
    await tx.query(
      `UPDATE checkouts SET status = $2, subscription_id = $3, completed_at = $4,
         price = coalesce($5::text::jsonb, price),
         customer_name = coalesce($6, customer_name), customer_email = coalesce($7, customer_email)
       WHERE id = $1`,
      [
        id,
        status,
        subscriptionId,
        completedAt,
        payment === undefined ? null : JSON.stringify(payment.price),
        payment?.customerName ?? null,
        payment?.customerEmail ?? null,
      ],
    );
  },

  /**
   * Deletes sessions that ended more than `days` ago, at most `limit` per call. Keeps sessions of running
   * subscriptions: they show whether a later session is the first.
   *
   * @returns their number
   */
  async deleteOld(
    source: Queryable,
    { days, limit }: { readonly days: number; readonly limit: number },
  ): Promise<number> {
    const rows = await source.query(
      `DELETE FROM checkouts WHERE id IN (
         SELECT id FROM checkouts
         WHERE expires_at < now() - make_interval(days => $1)
           AND NOT EXISTS (SELECT FROM subscriptions
                           WHERE subscriptions.id = checkouts.subscription_id AND state IN ${RUNNING})
         ORDER BY expires_at LIMIT $2)
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  },
};
