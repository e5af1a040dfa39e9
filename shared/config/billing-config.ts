import { absent, ConfigError, oneOf, text, urlOf, type ValuesOf } from './environment.js';

/** Settings of the Stripe client. */
export interface StripeConfig {
  readonly secretKey: string;
  /** Secret of the endpoint that receives Stripe's events. Without it, events are refused. */
  readonly webhookSecret: string | undefined;
  /** Base URL of the API. Default: Stripe's. */
  readonly apiBase: string | undefined;
}

/** The configured payment provider. Stripe requires a key. */
export type BillingConfig =
  | { readonly provider: 'stripe'; readonly stripe: StripeConfig }
  | { readonly provider: 'sandbox' | undefined; readonly stripe: StripeConfig | undefined };

/** Variables of payments. */
export const billingVariables = {
  BILLING: oneOf(['sandbox', 'stripe'])(absent),
  STRIPE_SECRET_KEY: text(512)(absent),
  STRIPE_WEBHOOK_SECRET: text(512)(absent),
  STRIPE_API_BASE: urlOf('http', 'https')(absent),
};

/** Matches secret and restricted keys (https://docs.stripe.com/keys). Keys that begin with pk_ are for browsers. */
const SECRET_KEY = /^[sr]k_/;

/** @throws {ConfigError} when Stripe is requested without a key, or with something other than a secret key */
export function billingPart(values: ValuesOf<typeof billingVariables>): BillingConfig {
  const { BILLING: provider, STRIPE_SECRET_KEY: secretKey } = values;
  const { STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_BASE: apiBase } = values;
  // A server that replaces Stripe may have keys of another form.
  if (secretKey !== undefined && apiBase === undefined && !SECRET_KEY.test(secretKey)) {
    throw new ConfigError(
      'STRIPE_SECRET_KEY is not one: it takes a secret or restricted key of Stripe, which begins with sk_ or rk_',
    );
  }
  const stripe = secretKey === undefined ? undefined : { secretKey, webhookSecret, apiBase };
  if (provider !== 'stripe') return { provider, stripe };
  if (stripe !== undefined) return { provider, stripe };
  throw new ConfigError(
    'STRIPE_SECRET_KEY is required when BILLING is stripe: it takes a secret key of Stripe',
  );
}
