import { ConfigError } from '../../shared/config/environment.js';
import type { Billing } from './billing.js';
import { chooseProvider, type ProviderConfig } from './choose-provider.js';
import { createSandboxBilling, type SandboxDeps } from './sandbox/sandbox.js';
import { createStripeBilling } from './stripe/stripe.js';
import { createUnusedStripeWebhookRoutes } from './stripe/stripe-webhook-routes.js';

export interface ProvidedBillingConfig extends ProviderConfig {
  readonly stripeApiBase: string | undefined;
  readonly stripeWebhookSecret: string | undefined;
}

/**
 * Billing with the provider that the configuration names.
 *
 * @throws {ConfigError} where it names none that can be had
 */
export function createProvidedBilling(config: ProvidedBillingConfig, deps: SandboxDeps): Billing {
  if (chooseProvider(config) === 'sandbox') {
    const sandbox = createSandboxBilling(deps);
    return { ...sandbox, routes: [...sandbox.routes, createUnusedStripeWebhookRoutes()] };
  }
  const { stripeSecretKey: secretKey, stripeApiBase: apiBase, stripeWebhookSecret: webhookSecret } = config;
  if (secretKey === undefined) throw new ConfigError('STRIPE_SECRET_KEY is required when BILLING is stripe');
  if (webhookSecret === undefined) {
    deps.logger.warn('STRIPE_WEBHOOK_SECRET is not set: events of Stripe are refused until it is');
  }
  return createStripeBilling({ ...deps, stripe: { secretKey, apiBase }, webhookSecret });
}
