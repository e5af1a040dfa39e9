import { LRUCache } from 'lru-cache';
import type Stripe from 'stripe';
import { AppError } from '../../../errors/app-error.js';
import type { Plan } from '../../../plan.js';
import { answerOf, isMissing, type StripeParts } from './stripe-client.js';
import { lookupKeyOf, METADATA, planIdOf } from './stripe-names.js';

const REMEMBERED_MS = 60_000;

/** One line item of a checkout session. */
export type LineItem = Stripe.Checkout.SessionCreateParams.LineItem;

/** Prices of plans at Stripe. */
export type StripePrices = ReturnType<typeof createStripePrices>;

export function createStripePrices({ stripe, logger }: Pick<StripeParts, 'stripe' | 'logger'>) {
  const remembered = new LRUCache<string, Stripe.Price>({ max: 100, ttl: REMEMBERED_MS });
  // The plan of a price does not change.
  const plans = new LRUCache<string, string>({ max: 1000 });

  const warned = new Set<string>();

  /** @returns the id of the price, or the reason why it is missing */
  async function find(plan: Plan): Promise<{ readonly price: string } | { readonly fault: string }> {
    const lookupKey = lookupKeyOf(plan);
    const known = remembered.get(lookupKey);
    if (known !== undefined && isPriceOf(known, plan)) return { price: known.id };
    remembered.delete(lookupKey);
    const { data } = await answerOf(stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }));
    const [price] = data;
    if (price === undefined) return { fault: `there is no active price with the lookup key ${lookupKey}` };
    if (!isPriceOf(price, plan)) {
      return { fault: `the price ${price.id} is not what the plan ${plan.id} costs` };
    }
    remembered.set(lookupKey, price);
    return { price: price.id };
  }

  function warnOnce(plan: Plan, fault: string): void {
    if (warned.has(plan.id)) return;
    warned.add(plan.id);
    logger.warn(
      { plan: plan.id, fault },
      'a plan has no price at Stripe: checkouts use an inline price, and changes to this plan fail until npm run stripe:setup creates it',
    );
  }

  return {
    /**
     * Returns the line item for a plan: its price, or otherwise an inline price of the same amount. An inline price is
     * enough to subscribe, and is logged once per plan.
     *
     * @throws {AppError} SERVICE_UNAVAILABLE when Stripe does not answer
     */
    async lineItemOf(plan: Plan): Promise<LineItem> {
      const found = await find(plan);
      if ('price' in found) return { price: found.price, quantity: 1 };
      warnOnce(plan, found.fault);
      return { price_data: inlinePrice(plan), quantity: 1 };
    },

    /**
     * Returns the id of a plan's price.
     *
     * @throws {AppError} SERVICE_UNAVAILABLE when the price is missing or differs from the catalogue
     */
    async priceOf(plan: Plan): Promise<string> {
      const found = await find(plan);
      if ('price' in found) return found.price;
      throw notSetUp(found.fault);
    },

    /** Returns the id of the plan that a price belongs or belonged to; `undefined` for a foreign price. */
    async planOf(priceId: string): Promise<string | undefined> {
      const known = plans.get(priceId);
      if (known !== undefined) return known;
      const asked = stripe.prices.retrieve(priceId, { expand: ['product'] });
      const price = await answerOf(asked).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      const planId = price && planIdOf(price);
      if (planId !== undefined) plans.set(priceId, planId);
      return planId;
    },
  };
}

/** Returns whether the price equals that of the catalogue. */
export function isPriceOf(price: Stripe.Price, { pricing }: Plan): boolean {
  return (
    price.unit_amount === pricing.amount &&
    price.currency === pricing.currency &&
    price.recurring?.interval === pricing.interval &&
    price.recurring.interval_count === 1
  );
}

/** Names the plan in the metadata of the product, because inline prices have no metadata. */
function inlinePrice({ id, name, description, pricing }: Plan): NonNullable<LineItem['price_data']> {
  return {
    currency: pricing.currency,
    unit_amount: pricing.amount,
    recurring: { interval: pricing.interval },
    product_data: {
      name,
      // Stripe removes a description that is an empty text, and refuses one for a new product.
      ...(description !== '' && { description }),
      metadata: { [METADATA.plan]: id },
    },
  };
}

function notSetUp(detail: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message:
      'A subscription cannot be changed to this plan yet: its price was not set up at Stripe (npm run stripe:setup).',
    detail: `${detail}: run npm run stripe:setup`,
    cause: new Error(detail),
  });
}
