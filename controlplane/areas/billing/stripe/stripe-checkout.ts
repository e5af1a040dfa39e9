import type Stripe from 'stripe';
import type { AreaParts } from '../../../area.js';
import type { NewCheckout, OpenedCheckout } from '../provider.js';
import { paymentOf } from './checkout-snapshot.js';
import { closeOtherSessions, closeSession } from './open-sessions.js';
import type { StripeAddresses } from './stripe-addresses.js';
import { askSubscription } from './stripe-answers.js';
import type { StripeChanges } from './stripe-changes.js';
import { answerOf } from './stripe-client.js';
import { METADATA } from './stripe-names.js';
import type { StripePrices } from './stripe-prices.js';
import { listRenewing } from './stripe-subscriptions.js';

export interface StripeCheckoutDeps extends Pick<AreaParts, 'database' | 'nowMs'> {
  readonly stripe: Stripe;
  readonly prices: StripePrices;
  readonly changes: StripeChanges;
  readonly addresses: StripeAddresses;
}

/** Opens the hosted page on which a plan is paid for, as a new subscription or as a change of the current one. */
export type OpenCheckout = (checkout: NewCheckout) => Promise<OpenedCheckout>;

export function createOpenCheckout(deps: StripeCheckoutDeps): OpenCheckout {
  const { stripe, database, prices, changes, addresses, nowMs } = deps;

  async function createSession(checkout: NewCheckout): Promise<Stripe.Checkout.Session> {
    const { checkoutId, userId, customerId, plan, trialDays, successUrl, cancelUrl } = checkout;
    const metadata = { [METADATA.user]: userId, [METADATA.plan]: plan.id };
    return answerOf(
      stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          customer: customerId,
          client_reference_id: checkoutId,
          line_items: [await prices.lineItemOf(plan)],
          metadata,
          subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
          success_url: successUrl ?? addresses.afterCheckout(checkoutId),
          cancel_url: cancelUrl ?? addresses.back(),
          // No `expires_at`: Stripe's default is 24 h. If our clock is ahead, Stripe would refuse our value.
        },
        { idempotencyKey: `waymark-checkout-${checkoutId}` },
      ),
    );
  }

  /**
   * Opens the page first, while its address is still unknown to everyone. Then closes all other pages, including
   * those opened meanwhile or without an answer, and then looks for payments on them. After that no other page can
   * lead to a subscription.
   */
  async function begin(checkout: NewCheckout): Promise<OpenedCheckout> {
    const { userId, customerId } = checkout;
    const session = await createSession(checkout);
    if (session.url === null) throw new Error(`checkout session ${session.id} has no page`);
    const owner = { userId, customerId };
    const closed = await closeOtherSessions(stripe, owner, session.id, nowMs);
    const [running] = await listRenewing(stripe, owner);
    if (running === undefined) {
      const page = { providerCheckoutId: session.id, url: session.url, ...paymentOf(session) };
      return { page, events: closed };
    }
    await closeSession(stripe, session.id, nowMs);
    const ask = () => answerOf(stripe.subscriptions.retrieve(running.id));
    return {
      page: undefined,
      events: [...closed, ...(await askSubscription(database, running.id, ask, nowMs))],
    };
  }

  return (checkout) => (checkout.replaces === undefined ? begin(checkout) : changes.open(checkout));
}
