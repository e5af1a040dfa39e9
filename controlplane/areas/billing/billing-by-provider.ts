import type { BillingConfig, StripeConfig } from '../../../shared/config/billing-config.js';
import { ConfigError } from '../../../shared/config/environment.js';
import type { Billing } from './billing.js';
import { createSandboxBilling, type SandboxDeps } from './sandbox/sandbox.js';
import { createUnusedStripeWebhookRoutes } from './stripe/webhook-route.js';

export interface ProviderConfig {
  readonly billing: BillingConfig;
  readonly databaseUrl: string | undefined;
}

/** Chosen payment provider. */
export type ChosenProvider =
  | { readonly provider: 'sandbox' }
  | { readonly provider: 'stripe'; readonly stripe: StripeConfig };

/**
 * Chooses the payment provider: Stripe if there is a key, otherwise the sandbox.
 *
 * @throws {ConfigError} if real users would get the sandbox without an explicit setting
 */
export function chooseProvider({ billing, databaseUrl }: ProviderConfig): ChosenProvider {
  if (billing.provider === 'sandbox') return { provider: 'sandbox' };
  if (billing.stripe !== undefined) return { provider: 'stripe', stripe: billing.stripe };
  if (databaseUrl === undefined) return { provider: 'sandbox' };
  throw new ConfigError(
    'BILLING is required with DATABASE_URL and without STRIPE_SECRET_KEY: it takes sandbox, which hands out plans for nothing',
  );
}

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
