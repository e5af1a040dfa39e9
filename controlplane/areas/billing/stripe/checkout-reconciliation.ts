import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Queryable } from '../../../storage/postgres/database.js';
import type { BillingEvents } from '../billing-events.js';
import type { BillingProvider } from '../provider.js';
import { type PageOfIds, reconcilePages } from '../reconcile-pages.js';
import type { Reconciliation } from '../reconciliation.js';
import { checkoutSnapshot } from './checkout-snapshot.js';
import { openPagesRepository } from './open-pages-repository.js';
import { answerId, momentOf } from './stripe-answers.js';
import { answerOf } from './stripe-client.js';
import { STRIPE } from './stripe-names.js';

export interface CheckoutReconciliationDeps {
  readonly stripe: Stripe;
  readonly database: Queryable;
  readonly provider: BillingProvider;
  readonly events: BillingEvents;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** Checks checkout sessions as well. This finds a subscription whose events were all lost. */
export function withCheckouts(
  reconciliation: Reconciliation,
  deps: CheckoutReconciliationDeps,
): Reconciliation {
  const { stripe, database, provider, events, logger, nowMs } = deps;

  async function reconcileCheckout(sessionId: string): Promise<void> {
    const session = await answerOf(stripe.checkout.sessions.retrieve(sessionId));
    const checkout = checkoutSnapshot(session);
    const { subscriptionId } = checkout;
    if (subscriptionId !== null) await events.apply(...(await provider.readSubscription(subscriptionId)));
    const told = { id: answerId(sessionId), provider: STRIPE, occurredAt: momentOf(session, nowMs()) };
    await events.apply({ ...told, about: 'checkout', checkout });
  }

  async function tryCheckout(sessionId: string): Promise<boolean> {
    try {
      await reconcileCheckout(sessionId);
      return true;
    } catch (error) {
      logger.warn({ err: error, checkout: sessionId }, 'a checkout session could not be reconciled');
      return false;
    }
  }

  const sessions = {
    list: (page: PageOfIds) => openPagesRepository.listSessions(database, page),
    tryOne: tryCheckout,
  };

  return {
    reconcile: (subscriptionId) => reconciliation.reconcile(subscriptionId),
    async reconcileAll(stopping) {
      const asked = await reconcilePages(sessions, stopping);
      const { checked, failed } = await reconciliation.reconcileAll(stopping);
      return { checked: checked + asked.checked, failed: failed + asked.failed };
    },
  };
}
