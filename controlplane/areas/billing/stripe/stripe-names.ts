import type Stripe from 'stripe';
import type { Plan } from '../../../plan.js';

/** Provider name in transactions. */
export const STRIPE = 'stripe';

/** Metadata of our objects at Stripe. It names the owner in every event. */
export const METADATA = { user: 'waymark_user', plan: 'waymark_plan', part: 'waymark_part' } as const;

/** Value of `METADATA.part` on our configuration of the billing portal. */
export const PORTAL_PART = 'portal';

/** Begins what we call the pages on which plans are changed: Stripe's own have no lasting names. */
export const CHANGE_PREFIX = 'change_';

/** Names the current price of a plan; earlier prices, at which some may still be subscribed, have lost it. */
export function lookupKeyOf({ id }: Pick<Plan, 'id'>): string {
  return `${LOOKUP_PREFIX}${id}`;
}

const LOOKUP_PREFIX = 'waymark_';

/**
 * The plan that a price is, or once was, the price of; `undefined`: it is not one of ours, or an inline price of a
 * checkout, of which only the product says it, where the answer has it whole.
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

/** The id of what Stripe gives either by its id or, where that was asked for, whole. */
export function idOf(reference: string | { readonly id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
