import type { Queryable } from '../../storage/postgres/database.js';
import { userRepository } from '../accounts/public.js';
import type { BillingEvent } from './provider.js';

/** Outcome of an event. */
export type EventOutcome =
  | 'applied'
  /** A later state is already known. */
  | 'late'
  /** The event names a user or a checkout session that does not exist, or no longer exists. */
  | 'unknown';

/** All SQL about the log of events. */
export const billingEventRepository = {
  /** Makes concurrent events of one user wait for each other until the transaction ends. Needs no existing row. */
  async lockUser(tx: Queryable, userId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`billing:${userId}`]);
  },

  /** Resolves to whether the event is new. A second process waits here until the first commits or rolls back. */
  async insert(tx: Queryable, event: BillingEvent): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO billing_events (provider, id, event, outcome) VALUES ($1, $2, $3::text::jsonb, 'applied')
       ON CONFLICT DO NOTHING RETURNING 1`,
      [event.provider, event.id, JSON.stringify(event)],
    );
    return rows.length > 0;
  },

  async setOutcome(tx: Queryable, event: BillingEvent, outcome: EventOutcome): Promise<void> {
    await tx.query('UPDATE billing_events SET outcome = $3 WHERE provider = $1 AND id = $2', [
      event.provider,
      event.id,
      outcome,
    ]);
  },

  /** Deletes events that were reported more than `days` ago, at most `limit` per call. Resolves to their number. */
  async deleteOld(
    source: Queryable,
    { days, limit }: { readonly days: number; readonly limit: number },
  ): Promise<number> {
    const rows = await source.query(
      `DELETE FROM billing_events WHERE (provider, id) IN (
         SELECT provider, id FROM billing_events WHERE received_at < now() - make_interval(days => $1)
         ORDER BY received_at LIMIT $2)
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  },
};

/**
 * Makes concurrent events of one user wait for each other until the transaction ends. Resolves to whether the user
 * exists.
 */
export async function lockKnownUser(tx: Queryable, userId: string): Promise<boolean> {
  await billingEventRepository.lockUser(tx, userId);
  return (await userRepository.findById(tx, userId)) !== undefined;
}
