import type Stripe from 'stripe';
import type { Queryable } from '../../../storage/postgres/database.js';
import { newId } from '../../../storage/postgres/new-id.js';
import type { BillingParts } from '../billing-parts.js';
import type { SettleDispute } from './stripe-disputes.js';
import type { ReadStripeEvent } from './stripe-event-reading.js';

const MAX_REPLAYED = 10_000;

interface StripeInboxDeps extends Pick<BillingParts, 'database' | 'events'> {
  readonly read: ReadStripeEvent;
  /** Checks a user after an event about a subscription: the user may have two now. */
  readonly settle: (userId: string) => Promise<void>;
  /** Acts on a dispute beyond storing it. */
  readonly settleDispute: SettleDispute;
}

/** Receives Stripe's events. Stores each as received, and applies it once, even if it is sent repeatedly. */
export type StripeInbox = ReturnType<typeof createStripeInbox>;

interface ReplayedEvent {
  readonly id: string;
  readonly type: string;
  readonly outcome: 'applied' | 'ignored' | 'failed';
  readonly error?: unknown;
}

export function createStripeInbox(deps: StripeInboxDeps) {
  const { database, read, events, settle, settleDispute } = deps;

  /** @param suffix makes a distinct event id */
  async function apply(event: Stripe.Event, suffix: string): Promise<'applied' | 'ignored'> {
    try {
      const meant = await read(event);
      await events.apply(...meant.map((one) => ({ ...one, id: `${one.id}${suffix}` })));
      for (const one of meant) {
        if (one.about === 'subscription') await settle(one.subscription.userId);
        if (one.about === 'dispute') await settleDispute(one.dispute);
      }
      const outcome = meant.length === 0 ? 'ignored' : 'applied';
      await stripeEventRepository.setOutcome(database, event.id, outcome);
      return outcome;
    } catch (error) {
      await stripeEventRepository.setOutcome(database, event.id, 'failed');
      throw error;
    }
  }

  async function replayOne({ id, type, payload, outcome }: StoredStripeEvent): Promise<ReplayedEvent> {
    const isDone = outcome === 'applied' || outcome === 'ignored';
    try {
      const event: Stripe.Event = JSON.parse(payload);
      return { id, type, outcome: await apply(event, isDone ? `~${newId()}` : '') };
    } catch (error) {
      return { id, type, outcome: 'failed', error };
    }
  }

  return {
    /**
     * Takes an event whose signature was checked. If it rejects, the event is stored and Stripe must send it again.
     *
     * @param payload the event as received
     */
    async take(event: Stripe.Event, payload: string): Promise<void> {
      const outcome = await stripeEventRepository.keep(database, {
        id: event.id,
        type: event.type,
        payload,
      });
      if (outcome === 'received' || outcome === 'failed') await apply(event, '');
    },

    /**
     * Applies stored events again: the named ones, or all unfinished ones. A replayed event keeps its original time, so
     * it never reverts a later one.
     */
    async replay(ids: readonly string[]): Promise<readonly ReplayedEvent[]> {
      const kept =
        ids.length === 0
          ? await stripeEventRepository.findUnfinished(database, MAX_REPLAYED)
          : await stripeEventRepository.find(database, ids);
      const replayed: ReplayedEvent[] = [];
      for (const event of kept) replayed.push(await replayOne(event));
      return replayed;
    },
  };
}

/** `received`: not finished. `ignored`: it has no effect here. `failed`: it will be applied again. */
type StripeEventOutcome = 'received' | 'applied' | 'ignored' | 'failed';

interface StoredStripeEvent {
  readonly id: string;
  readonly type: string;
  /** Payload as received. */
  readonly payload: string;
  readonly outcome: StripeEventOutcome;
}

/** All SQL about the events that Stripe sent to the webhook. */
const stripeEventRepository = {
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
