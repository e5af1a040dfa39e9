import type Stripe from 'stripe';
import type { Say, SetUpProduct } from './setup-catalogue.js';
import { answerOf } from './stripe-client.js';
import { METADATA, PORTAL_PART } from './stripe-names.js';
import { findPortalConfiguration } from './stripe-portal.js';

/** Configures the portal: payment methods, invoices, changes of plan, cancellation. */
export async function setUpPortal(
  stripe: Stripe,
  {
    products,
    returnUrl,
  }: { readonly products: readonly SetUpProduct[]; readonly returnUrl: string | undefined },
  say: Say,
): Promise<void> {
  const wanted = {
    ...(returnUrl !== undefined && { default_return_url: returnUrl }),
    features: {
      customer_update: { enabled: true, allowed_updates: ['email', 'address', 'tax_id'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'create_prorations',
        products: products.map(({ product, price }) => ({ product, prices: [price] })),
      },
    },
    metadata: { [METADATA.part]: PORTAL_PART },
  } satisfies Stripe.BillingPortal.ConfigurationUpdateParams;
  const known = await answerOf(findPortalConfiguration(stripe));
  if (known === undefined) {
    const { id } = await answerOf(stripe.billingPortal.configurations.create(wanted));
    say(`portal ${id}: created`);
    return;
  }
  // Stripe does not return the allowed products unless they are requested. Setting them again changes nothing.
  await answerOf(stripe.billingPortal.configurations.update(known.id, wanted));
  say(`portal ${known.id}: as it should be`);
}
