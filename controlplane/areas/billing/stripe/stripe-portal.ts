import { LRUCache } from 'lru-cache';
import type Stripe from 'stripe';
import { answerOf } from './stripe-client.js';
import { METADATA, PORTAL_PART } from './stripe-names.js';

const REMEMBERED_MS = 60_000;
const KEY = 'portal';

/** Billing portal with the appearance and permissions that `stripe:setup` configured. */
export type StripePortal = ReturnType<typeof createStripePortal>;

export function createStripePortal(stripe: Stripe) {
  const remembered = new LRUCache<typeof KEY, string>({ max: 1, ttl: REMEMBERED_MS });
  return {
    /** Returns the id of our configuration as a parameter, or none to use the account's default. */
    async configuration(): Promise<{ readonly configuration?: string }> {
      const id = remembered.get(KEY) ?? (await answerOf(findPortalConfiguration(stripe)))?.id;
      if (id === undefined) return {};
      remembered.set(KEY, id);
      return { configuration: id };
    },
  };
}

/** Finds our configuration among those of the account. */
export async function findPortalConfiguration(
  stripe: Stripe,
): Promise<Stripe.BillingPortal.Configuration | undefined> {
  for await (const configuration of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (configuration.metadata?.[METADATA.part] === PORTAL_PART) return configuration;
  }
  return undefined;
}
