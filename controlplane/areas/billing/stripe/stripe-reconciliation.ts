import type { Queryable } from '../../../storage/postgres/database.js';
import { type PageOfIds, type Reconciliation, reconcilePages } from '../reconciliation.js';
import { checkoutSnapshot } from './checkout-snapshot.js';
import type { DuplicateSubscriptions } from './duplicate-subscriptions.js';
import { openPagesRepository } from './open-pages-repository.js';
import { answerId, momentOf } from './stripe-answers.js';
import { answerOf, type StripeParts } from './stripe-client.js';
import { STRIPE } from './stripe-names.js';

/**
 * Reconciles checkout sessions first: they reveal subscriptions whose events were all lost. Then reconciles all
 * subscriptions, and then looks for users who are charged twice.
 */
export function createStripeReconciliation(
  parts: Pick<StripeParts, 'stripe' | 'database' | 'provider' | 'events' | 'logger' | 'nowMs'>,
  subscriptions: Reconciliation,
  duplicates: DuplicateSubscriptions,
): Reconciliation {
  const { stripe, database, provider, events, logger, nowMs } = parts;

  async function reconcileCheckout(sessionId: string): Promise<void> {
    const session = await answerOf(stripe.checkout.sessions.retrieve(sessionId));
    const checkout = checkoutSnapshot(session);
    const { subscriptionId } = checkout;
    if (subscriptionId !== null) await events.apply(...(await provider.readSubscription(subscriptionId)));
    const told = { id: answerId(sessionId), provider: STRIPE, occurredAt: momentOf(session, nowMs()) };
    await events.apply({ ...told, about: 'checkout', checkout });
  }

  const sessions = {
    list: (page: PageOfIds) => openPagesRepository.listSessions(database, page),
    reconcile: reconcileCheckout,
    onFailure: (error: unknown, checkout: string) =>
      logger.warn({ err: error, checkout }, 'a checkout session could not be reconciled'),
  };

  return {
    reconcile: subscriptions.reconcile,
    async reconcileAll(stopping) {
      const asked = await reconcilePages(sessions, stopping);
      const { checked, failed } = await subscriptions.reconcileAll(stopping);
      if (!stopping?.aborted) await duplicates.settleAll(stopping);
      return { checked: checked + asked.checked, failed: failed + asked.failed };
    },
  };
}

/** Minimum time between two checks. Each process asks once a day. With a full day here, a check could be skipped. */
const TURN = '20 hours';

/**
 * Lets one of several control planes check all subscriptions, once a day. The first process takes the turn.
 *
 * @param provider provider whose turn it is
 */
export function inTurns(
  reconciliation: Reconciliation,
  { database, provider }: { readonly database: Queryable; readonly provider: string },
): Reconciliation {
  /** Releases the turn for other processes, because this one stopped or failed. */
  async function giveBack(): Promise<void> {
    await database.query('DELETE FROM reconciliation_turns WHERE provider = $1', [provider]);
  }

  return {
    reconcile: (subscriptionId) => reconciliation.reconcile(subscriptionId),
    async reconcileAll(stopping) {
      const turn = await database.query(
        `INSERT INTO reconciliation_turns AS turns (provider, taken_at) VALUES ($1, now())
         ON CONFLICT (provider) DO UPDATE SET taken_at = now() WHERE turns.taken_at < now() - $2::interval
         RETURNING 1`,
        [provider, TURN],
      );
      if (turn.length === 0) return { checked: 0, failed: 0 };
      let isDone = false;
      try {
        const reconciled = await reconciliation.reconcileAll(stopping);
        isDone = stopping?.aborted !== true;
        return reconciled;
      } finally {
        if (!isDone) await giveBack();
      }
    },
  };
}
