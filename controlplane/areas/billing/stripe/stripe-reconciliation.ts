import { type PageOfIds, type Reconciliation, reconcilePages } from '../reconciliation.js';
import { checkoutSnapshot } from './checkout-snapshot.js';
import type { DuplicateSubscriptions } from './duplicate-subscriptions.js';
import { openPagesRepository } from './open-pages-repository.js';
import { answerId, momentOf } from './stripe-answers.js';
import { answerOf } from './stripe-client.js';
import { STRIPE } from './stripe-names.js';
import type { StripeParts } from './stripe-parts.js';

/**
 * Reconciles checkout sessions before all subscriptions, which finds a subscription whose events were all lost. Then
 * looks for users who are charged twice, once the state of all subscriptions is known.
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
