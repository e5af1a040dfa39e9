import type Stripe from 'stripe';
import type { CheckoutPayment, CheckoutSnapshot } from '../provider.js';
import { idOf } from './stripe-names.js';

/** Converts a checkout session of Stripe. */
export function checkoutSnapshot(session: Stripe.Checkout.Session): CheckoutSnapshot {
  const { id, status, subscription } = session;
  const isComplete = status === 'complete';
  return {
    providerCheckoutId: id,
    status: isComplete ? 'complete' : status === 'expired' ? 'expired' : 'open',
    subscriptionId: isComplete && subscription != null ? idOf(subscription) : null,
    ...paymentOf(session),
  };
}

/** Price and customer of a session; undefined until Stripe has computed them. */
export function paymentOf(session: Stripe.Checkout.Session): { readonly payment?: CheckoutPayment } {
  const { amount_subtotal, amount_total, currency, total_details, customer_details } = session;
  if (amount_subtotal == null || amount_total == null || currency == null) return {};
  return {
    payment: {
      price: {
        amount: amount_subtotal,
        discountAmount: total_details?.amount_discount ?? 0,
        taxAmount: total_details?.amount_tax ?? 0,
        totalAmount: amount_total,
        currency,
      },
      customerName: customer_details?.name ?? null,
      customerEmail: customer_details?.email ?? null,
    },
  };
}
