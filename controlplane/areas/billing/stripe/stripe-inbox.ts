import type Stripe from 'stripe';
import { newId } from '../../../storage/postgres/new-id.js';
import type { BillingParts } from '../billing-parts.js';
import type { SettleDispute } from './stripe-disputes.js';
import type { ReadStripeEvent } from './stripe-event-reading.js';
import { type StoredStripeEvent, stripeEventRepository } from './stripe-event-repository.js';

const MAX_REPLAYED = 10_000;

export interface StripeInboxDeps extends Pick<BillingParts, 'database' | 'events'> {
  readonly read: ReadStripeEvent;
  /** Checks a user after an event about a subscription: the user may have two now. */
  readonly settle: (userId: string) => Promise<void>;
  /** Acts on a dispute beyond storing it. */
  readonly settleDispute: SettleDispute;
}

/** Receives Stripe's events. Stores each as received, and applies it once, even if it is sent repeatedly. */
export interface StripeInbox {
  /**
   * Takes an event whose signature was checked. If it rejects, the event is stored and Stripe must send it again.
   *
   * @param payload the event as received
   */
  take(event: Stripe.Event, payload: string): Promise<void>;
  /**
   * Applies stored events again: the named ones, or all unfinished ones. An event that was applied before counts as a
   * report of its own time, so it never reverts a later one.
   */
  replay(ids: readonly string[]): Promise<readonly ReplayedEvent[]>;
}

export interface ReplayedEvent {
  readonly id: string;
  readonly type: string;
  readonly outcome: 'applied' | 'ignored' | 'failed';
  readonly error?: unknown;
}

export function createStripeInbox(deps: StripeInboxDeps): StripeInbox {
  const { database, read, events, settle, settleDispute } = deps;

  /** @param suffix makes a distinct event id, which also counts once */
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
    async take(event, payload) {
      const outcome = await stripeEventRepository.keep(database, {
        id: event.id,
        type: event.type,
        payload,
      });
      if (outcome === 'received' || outcome === 'failed') await apply(event, '');
    },

    async replay(ids) {
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
