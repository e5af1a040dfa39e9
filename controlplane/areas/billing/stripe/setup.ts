import type Stripe from 'stripe';
import type { PlanCatalogue } from '../../plans/public.js';
import { type Say, setUpPlan } from './setup-catalogue.js';
import { setUpPortal } from './setup-portal.js';
import { setUpWebhook } from './setup-webhook.js';

export interface SetupOptions {
  readonly catalogue: PlanCatalogue;
  /** Address of the API for Stripe; `undefined` if Stripe cannot send events. */
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
