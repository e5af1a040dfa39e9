import type { Billing } from './billing.js';
import type { ChosenProvider } from './choose-provider.js';
import { createSandboxBilling, type SandboxDeps } from './sandbox/sandbox.js';
import { createUnusedStripeWebhookRoutes } from './stripe/webhook-route.js';

/** Creates billing with the chosen provider. Loads Stripe's library only if Stripe is chosen. */
export async function createBillingByProvider(chosen: ChosenProvider, deps: SandboxDeps): Promise<Billing> {
  if (chosen.provider === 'sandbox') {
    const sandbox = createSandboxBilling(deps);
    return { ...sandbox, routes: [...sandbox.routes, createUnusedStripeWebhookRoutes()] };
  }
  const { webhookSecret, ...stripe } = chosen.stripe;
  if (webhookSecret === undefined) {
    deps.logger.warn('STRIPE_WEBHOOK_SECRET is not set: events of Stripe are refused until it is');
  }
  const { createStripeBilling } = await import('./stripe/stripe.js');
  return createStripeBilling({ ...deps, stripe, webhookSecret });
}
