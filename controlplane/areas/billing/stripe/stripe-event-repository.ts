import type { Queryable } from '../../../storage/postgres/database.js';

/** `received`: it was begun and not finished. `ignored`: it means nothing here. `failed`: to be applied again. */
export type StripeEventOutcome = 'received' | 'applied' | 'ignored' | 'failed';

export interface StoredStripeEvent {
  readonly id: string;
  readonly type: string;
  /** Payload as received. */
  readonly payload: string;
  readonly outcome: StripeEventOutcome;
}

/** All SQL about what Stripe has sent to the webhook. */
export const stripeEventRepository = {
  /** Keeps an event, and forgets those that are older than any replay. Resolves to what is known of it. */
  async keep(
    tx: Queryable,
    event: Pick<StoredStripeEvent, 'id' | 'type' | 'payload'>,
  ): Promise<StripeEventOutcome> {
    await tx.query("DELETE FROM stripe_events WHERE received_at < now() - interval '90 days'");
    const [row] = await tx.query<{ outcome: StripeEventOutcome }>(
      `INSERT INTO stripe_events (id, type, payload) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING outcome`,
      [event.id, event.type, event.payload],
    );
    return row?.outcome ?? 'received';
  },

  async setOutcome(tx: Queryable, id: string, outcome: StripeEventOutcome): Promise<void> {
    await tx.query('UPDATE stripe_events SET outcome = $2 WHERE id = $1', [id, outcome]);
  },

  async find(source: Queryable, ids: readonly string[]): Promise<StoredStripeEvent[]> {
    return source.query<StoredStripeEvent>(
      'SELECT id, type, payload, outcome FROM stripe_events WHERE id = ANY ($1) ORDER BY received_at, id',
      [ids],
    );
  },

  /** Events that were not finished, oldest first. */
  async findUnfinished(source: Queryable, limit: number): Promise<StoredStripeEvent[]> {
    return source.query<StoredStripeEvent>(
      `SELECT id, type, payload, outcome FROM stripe_events WHERE outcome IN ('received', 'failed')
       ORDER BY received_at, id LIMIT $1`,
      [limit],
    );
  },
};
