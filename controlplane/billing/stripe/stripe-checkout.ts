import type Stripe from 'stripe';
import type { NewCheckout, OpenedCheckout } from '../provider.js';
import { answerOf } from './stripe-client.js';
import { METADATA } from './stripe-names.js';
import type { StripePortal } from './stripe-portal.js';
import type { StripePrices } from './stripe-prices.js';

export interface StripeCheckoutDeps {
  readonly stripe: Stripe;
  readonly prices: StripePrices;
  readonly portal: StripePortal;
  /** Where users are sent back to. */
  readonly returnAddress: () => string;
}

/** Opens the hosted page on which a plan is paid for: as a new subscription, or as a change of the one there is. */
export type OpenCheckout = (checkout: NewCheckout) => Promise<OpenedCheckout>;

export function createOpenCheckout({
  stripe,
  prices,
  portal,
  returnAddress,
}: StripeCheckoutDeps): OpenCheckout {
  const successUrl = (checkoutId: string): string => {
    const url = new URL(returnAddress());
    url.searchParams.set('checkout', checkoutId);
    return url.href;
  };

  async function begin(checkout: NewCheckout): Promise<OpenedCheckout> {
    const { checkoutId, userId, customerId, plan, trialDays } = checkout;
    const metadata = { [METADATA.user]: userId, [METADATA.plan]: plan.id };
    const session = await answerOf(
      stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          customer: customerId,
          client_reference_id: checkoutId,
          line_items: [{ price: await prices.priceOf(plan), quantity: 1 }],
          metadata,
          subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
          success_url: successUrl(checkoutId),
          cancel_url: returnAddress(),
          // No expires_at: Stripe's default is the 24 h, and by a clock of ours that is ahead it would refuse them.
        },
        { idempotencyKey: `waymark-checkout-${checkoutId}` },
      ),
    );
    if (session.url === null) throw new Error(`checkout session ${session.id} has no page`);
    return { providerCheckoutId: session.id, url: session.url };
  }

  /** The page shows what the change costs; Stripe settles what was paid for the rest of the period. */
  async function change(checkout: NewCheckout, subscriptionId: string): Promise<OpenedCheckout> {
    const { checkoutId, customerId, plan } = checkout;
    const price = await prices.priceOf(plan);
    const { items } = await answerOf(stripe.subscriptions.retrieve(subscriptionId));
    const [item] = items.data;
    if (item === undefined) throw new Error(`subscription ${subscriptionId} is for nothing`);
    const session = await answerOf(
      stripe.billingPortal.sessions.create(
        {
          ...(await portal.configuration()),
          customer: customerId,
          return_url: returnAddress(),
          flow_data: {
            type: 'subscription_update_confirm',
            subscription_update_confirm: {
              subscription: subscriptionId,
              items: [{ id: item.id, price, quantity: 1 }],
            },
            after_completion: { type: 'redirect', redirect: { return_url: successUrl(checkoutId) } },
          },
        },
        { idempotencyKey: `waymark-change-${checkoutId}` },
      ),
    );
    return { providerCheckoutId: session.id, url: session.url };
  }

  return (checkout) =>
    checkout.replaces === undefined ? begin(checkout) : change(checkout, checkout.replaces);
}
