import type Stripe from 'stripe';
import type { BillingParts } from '../billing-parts.js';

/** Parts that billing with Stripe is built from. */
export interface StripeParts extends BillingParts {
  /** Client of Stripe's API. */
  readonly stripe: Stripe;
}
