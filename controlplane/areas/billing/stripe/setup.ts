import type Stripe from 'stripe';
import type { Plan } from '../../../plan.js';
import type { PlanCatalogue } from '../../plans/public.js';
import { API_VERSION, answerOf, isMissing } from './stripe-client.js';
import { WEBHOOK_EVENTS } from './stripe-event-shape.js';
import { lookupKeyOf, METADATA, PORTAL_PART } from './stripe-names.js';
import { findPortalConfiguration } from './stripe-portal.js';
import { isPriceOf } from './stripe-prices.js';

interface SetupOptions {
  readonly catalogue: PlanCatalogue;
  /** Public address of the API, to which Stripe sends events; `undefined` if Stripe cannot reach it. */
  readonly publicApiUrl: string | undefined;
  readonly dashboardUrl: string | undefined;
}

/** Configures an account of Stripe for billing, and prints the changes. A second run changes nothing. */
export async function setUpStripe(stripe: Stripe, options: SetupOptions, say: Say): Promise<void> {
  const { catalogue, publicApiUrl, dashboardUrl } = options;
  const products = [];
  for (const plan of catalogue.plans) {
    if (plan.pricing.amount > 0 && plan.isActive) products.push(await setUpPlan(stripe, plan, say));
  }
  await setUpPortal(stripe, { products, returnUrl: dashboardUrl }, say);
  if (publicApiUrl === undefined) {
    say('webhook: left alone; set PUBLIC_API_URL to the address at which Stripe reaches the API');
  } else {
    await setUpWebhook(stripe, publicApiUrl, say);
  }
}

/** Prints one line. */
export type Say = (line: string) => void;

/** A product as it should be. Its id contains the plan's id, so no search is needed. */
interface SetUpProduct {
  readonly product: string;
  readonly price: string;
}

/** Creates or updates the product and the price of a plan. Does nothing if both are right. */
async function setUpPlan(stripe: Stripe, plan: Plan, say: Say): Promise<SetUpProduct> {
  const product = await setUpProduct(stripe, plan, say);
  return { product, price: await setUpPrice(stripe, plan, product, say) };
}

async function setUpProduct(stripe: Stripe, plan: Plan, say: Say): Promise<string> {
  const id = lookupKeyOf(plan);
  const { name, description } = plan;
  const wanted = { name, metadata: { [METADATA.plan]: plan.id } };
  const known = await answerOf(stripe.products.retrieve(id)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (known === undefined) {
    // Stripe removes a description that is an empty text, and refuses one for a new product.
    await answerOf(stripe.products.create({ id, ...wanted, ...(description !== '' && { description }) }));
    say(`product ${id}: created`);
  } else if (known.name !== name || (known.description ?? '') !== description || !known.active) {
    await answerOf(stripe.products.update(id, { ...wanted, description, active: true }));
    say(`product ${id}: updated`);
  } else {
    say(`product ${id}: as it should be`);
  }
  return id;
}

/** The amount of a price cannot change. A new price takes over the lookup key. Subscribers keep paying the old price. */
async function setUpPrice(stripe: Stripe, plan: Plan, product: string, say: Say): Promise<string> {
  const lookupKey = lookupKeyOf(plan);
  const { data } = await answerOf(stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }));
  const [known] = data;
  if (known !== undefined && isPriceOf(known, plan)) {
    say(`price ${known.id} (${lookupKey}): as it should be`);
    return known.id;
  }
  const { amount, currency, interval } = plan.pricing;
  const price = await answerOf(
    stripe.prices.create({
      product,
      unit_amount: amount,
      currency,
      recurring: { interval },
      lookup_key: lookupKey,
      transfer_lookup_key: true,
      metadata: { [METADATA.plan]: plan.id },
    }),
  );
  const instead = known === undefined ? '' : ` in the place of ${known.id}`;
  say(`price ${price.id} (${lookupKey}): created${instead}`);
  return price.id;
}

/** Configures the portal: payment methods, invoices, changes of plan, cancellation. */
async function setUpPortal(
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

/** Creates or updates the webhook endpoint. Stripe shows its secret once, when it is created. */
async function setUpWebhook(stripe: Stripe, apiUrl: string, say: Say): Promise<void> {
  const url = `${apiUrl.replace(/\/$/, '')}/webhooks/stripe`;
  const known = await answerOf(findEndpoint(stripe, url));
  if (known === undefined) return createEndpoint(stripe, url, say);
  if (known.api_version !== API_VERSION) {
    const version = known.api_version ?? "the account's version";
    say(
      `webhook ${known.id}: is sent events of ${version}, not ${API_VERSION}, which cannot be changed; delete it and run this again`,
    );
    return;
  }
  const isRight = known.status === 'enabled' && isSameSet(known.enabled_events, WEBHOOK_EVENTS);
  if (!isRight) {
    await answerOf(
      stripe.webhookEndpoints.update(known.id, { enabled_events: [...WEBHOOK_EVENTS], disabled: false }),
    );
  }
  say(`webhook ${known.id}: ${isRight ? 'as it should be' : 'updated'}`);
}

async function createEndpoint(stripe: Stripe, url: string, say: Say): Promise<void> {
  const { id, secret } = await answerOf(
    stripe.webhookEndpoints.create({
      url,
      enabled_events: [...WEBHOOK_EVENTS],
      api_version: API_VERSION,
      description: 'Waymark',
    }),
  );
  say(`webhook ${id}: created for ${url}`);
  if (secret !== undefined) say(`STRIPE_WEBHOOK_SECRET=${secret}   (keep it: it is not shown again)`);
}

async function findEndpoint(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint | undefined> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) return endpoint;
  }
  return undefined;
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && others.every((one) => some.includes(one));
}
