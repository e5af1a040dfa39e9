import type { Queryable } from '../../../storage/postgres/database.js';

/** `received`: not finished. `ignored`: it has no effect here. `failed`: it will be applied again. */
export type StripeEventOutcome = 'received' | 'applied' | 'ignored' | 'failed';

export interface StoredStripeEvent {
  readonly id: string;
  readonly type: string;
  /** Payload as received. */
  readonly payload: string;
  readonly outcome: StripeEventOutcome;
}

/** All SQL about the events that Stripe sent to the webhook. */
export const stripeEventRepository = {
  /** Stores an event, and deletes those that are too old for a replay. Resolves to the stored state of the event. */
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

  /** Returns unfinished events, oldest first. */
  async findUnfinished(source: Queryable, limit: number): Promise<StoredStripeEvent[]> {
    return source.query<StoredStripeEvent>(
      `SELECT id, type, payload, outcome FROM stripe_events WHERE outcome IN ('received', 'failed')
       ORDER BY received_at, id LIMIT $1`,
      [limit],
    );
  },
};
