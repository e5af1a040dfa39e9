import type { Billing } from './billing.js';
import type { ChosenProvider } from './choose-provider.js';
import { createSandboxBilling, type SandboxDeps } from './sandbox/sandbox.js';
import { createStripeBilling } from './stripe/stripe.js';
import { createUnusedStripeWebhookRoutes } from './stripe/stripe-webhook-routes.js';

/** Billing with the provider that was chosen. */
export function createBillingByProvider(chosen: ChosenProvider, deps: SandboxDeps): Billing {
  if (chosen.provider === 'sandbox') {
    const sandbox = createSandboxBilling(deps);
    return { ...sandbox, routes: [...sandbox.routes, createUnusedStripeWebhookRoutes()] };
  }
  const { webhookSecret, ...stripe } = chosen.stripe;
  if (webhookSecret === undefined) {
    deps.logger.warn('STRIPE_WEBHOOK_SECRET is not set: events of Stripe are refused until it is');
  }
  return createStripeBilling({ ...deps, stripe, webhookSecret });
}
