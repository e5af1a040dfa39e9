import { ConfigError } from '../../shared/config/environment.js';

export interface ProviderConfig {
  readonly billing: 'sandbox' | 'stripe' | undefined;
  readonly stripeSecretKey: string | undefined;
  readonly databaseUrl: string | undefined;
}

/**
 * Who takes the money: Stripe where there is a key to it, else the sandbox.
 *
 * @throws {ConfigError} where the sandbox would stand before real users without anybody having said so
 */
export function chooseProvider(config: ProviderConfig): 'sandbox' | 'stripe' {
  const { billing, stripeSecretKey, databaseUrl } = config;
  if (billing !== undefined) return billing;
  if (stripeSecretKey !== undefined) return 'stripe';
  if (databaseUrl === undefined) return 'sandbox';
  throw new ConfigError(
    'BILLING is required with DATABASE_URL and without STRIPE_SECRET_KEY: it takes sandbox, which hands out plans for nothing',
  );
}
