import type Stripe from 'stripe';
import type { Plan } from '../../../plan.js';

/** Provider name in transactions. */
export const STRIPE = 'stripe';

/** Metadata of our objects at Stripe. It names the owner in every event. */
export const METADATA = { user: 'waymark_user', plan: 'waymark_plan', part: 'waymark_part' } as const;

/** Value of `METADATA.part` on our configuration of the billing portal. */
export const PORTAL_PART = 'portal';

/** Prefix of our ids of pages that change a plan. Stripe's pages have no lasting ids. */
export const CHANGE_PREFIX = 'change_';

/** Lookup key of the current price of a plan. Earlier prices have lost it and may still have subscribers. */
export function lookupKeyOf({ id }: Pick<Plan, 'id'>): string {
  return `${LOOKUP_PREFIX}${id}`;
}

const LOOKUP_PREFIX = 'waymark_';

/**
 * Returns the plan that a price belongs or belonged to; `undefined` for a foreign price. An inline price of a
 * checkout is known only by its product, if the answer includes the product.
 */
export function planIdOf({ metadata, lookup_key, product }: Stripe.Price): string | undefined {
  const keyed = lookup_key?.startsWith(LOOKUP_PREFIX) ? lookup_key.slice(LOOKUP_PREFIX.length) : undefined;
  return metadata?.[METADATA.plan] ?? keyed ?? planIdOfProduct(product);
}

function planIdOfProduct(product: Stripe.Price['product']): string | undefined {
  if (product === null || typeof product !== 'object' || product.deleted) return undefined;
  return product.metadata?.[METADATA.plan];
}

/** Stripe counts seconds since 1970. */
export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

export function dateOrNull(seconds: number | null | undefined): Date | null {
  return seconds == null ? null : dateOf(seconds);
}

/** Returns the id of a reference, which Stripe sends as an id or as the whole object. */
export function idOf(reference: string | { readonly id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
