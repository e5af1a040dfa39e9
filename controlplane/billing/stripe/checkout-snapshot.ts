import type Stripe from 'stripe';
import type { CheckoutSnapshot } from '../provider.js';
import { idOf } from './stripe-names.js';

/** A checkout session of Stripe in our words. */
export function checkoutSnapshot({ id, status, subscription }: Stripe.Checkout.Session): CheckoutSnapshot {
  const isComplete = status === 'complete';
  return {
    providerCheckoutId: id,
    status: isComplete ? 'complete' : status === 'expired' ? 'expired' : 'open',
    subscriptionId: isComplete && subscription != null ? idOf(subscription) : null,
  };
}
