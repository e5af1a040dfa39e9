import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { AreaParts } from '../../../area.js';
import { isRunning } from '../billing-states.js';
import type { BillingEvent, BillingProvider } from '../provider.js';
import { askSubscription } from './stripe-answers.js';
import type { OpenCheckout } from './stripe-checkout.js';
import { answerOf, isMissing, StripeRefusal } from './stripe-client.js';
import type { StripeInvoices } from './stripe-invoices.js';
import { idOf, METADATA, STRIPE } from './stripe-names.js';
import type { StripePortal } from './stripe-portal.js';

/** Stripe invalidates a link to the portal after five minutes. */
const PORTAL_LIFETIME_MS = 300_000;

export interface StripeProviderDeps extends Pick<AreaParts, 'database' | 'nowMs'> {
  readonly stripe: Stripe;
  readonly openCheckout: OpenCheckout;
  readonly portal: StripePortal;
  readonly invoices: StripeInvoices;
}

/** Stripe as provider. Stripe takes the money and issues the invoices. Its state is authoritative. */
export function createStripeProvider(deps: StripeProviderDeps): BillingProvider {
  const { stripe, database, openCheckout, portal, invoices, nowMs } = deps;

  function ask(
    id: string,
    request: () => Promise<Stripe.Response<Stripe.Subscription>>,
  ): Promise<readonly BillingEvent[]> {
    return askSubscription(database, id, () => answerOf(request()), nowMs);
  }

  /**
   * Stripe does not change an ended subscription. This service may not know the end yet, for example after an
   * unanswered request. The result is then the current state.
   */
  async function change(
    id: string,
    request: () => Promise<Stripe.Response<Stripe.Subscription>>,
  ): Promise<readonly BillingEvent[]> {
    try {
      return await ask(id, request);
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      const events = await ask(id, () => stripe.subscriptions.retrieve(id));
      if (!events.some(tellsOfEnd)) throw error;
      return events;
    }
  }

  return {
    name: STRIPE,

    async createCustomer({ id, email }) {
      const customer = await answerOf(
        stripe.customers.create(
          { ...(email !== null && { email }), metadata: { [METADATA.user]: id } },
          { idempotencyKey: `waymark-customer-${id}-${fingerprintOf(email)}` },
        ),
      );
      return customer.id;
    },

    createCheckout: openCheckout,

    async createPortal({ customerId, returnUrl }) {
      const { url } = await answerOf(
        stripe.billingPortal.sessions.create({
          ...(await portal.configuration()),
          customer: customerId,
          ...(returnUrl !== undefined && { return_url: returnUrl }),
        }),
      );
      return { url, expiresAt: new Date(nowMs() + PORTAL_LIFETIME_MS) };
    },

    cancelAtPeriodEnd: (id, reason) =>
      change(id, () => stripe.subscriptions.update(id, { cancel_at_period_end: true, ...commented(reason) })),

    cancelNow: (id, reason) => change(id, () => stripe.subscriptions.cancel(id, commented(reason))),

    async reactivate(id) {
      const { cancel_at_period_end: byFlag } = await answerOf(stripe.subscriptions.retrieve(id));
      // On Stripe's own pages an end date may be set instead. Stripe does not accept both.
      const withdrawal = byFlag ? { cancel_at_period_end: false } : { cancel_at: '' as const };
      return change(id, () => stripe.subscriptions.update(id, withdrawal));
    },

    async readSubscription(id) {
      let customerId: string | undefined;
      try {
        const subscription = await ask(id, async () => {
          const answer = await stripe.subscriptions.retrieve(id);
          customerId = idOf(answer.customer);
          return answer;
        });
        if (customerId === undefined || subscription.length === 0) return subscription;
        return [...subscription, ...(await invoices.readTransactions(id, customerId))];
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}

function tellsOfEnd(event: BillingEvent): boolean {
  return event.about === 'subscription' && !isRunning(event.subscription.state);
}

/**
 * Returns a hash of the address for an idempotency key. Stripe refuses a key that is reused with another address. Keys
 * are logged; addresses must not be.
 */
function fingerprintOf(email: string | null): string {
  return createHash('sha256')
    .update(email ?? '')
    .digest('base64url')
    .slice(0, 16);
}

function commented(reason: string | undefined) {
  return reason === undefined ? {} : { cancellation_details: { comment: reason } };
}
