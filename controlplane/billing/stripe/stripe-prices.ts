import { LRUCache } from 'lru-cache';
import type Stripe from 'stripe';
import type { Plan } from '../../accounts/plans.js';
import { AppError } from '../../errors/app-error.js';
import { answerOf, isMissing } from './stripe-client.js';
import { lookupKeyOf, planIdOf } from './stripe-names.js';

const REMEMBERED_MS = 60_000;

/** What Stripe charges for plans. */
export interface StripePrices {
  /**
   * The id of a plan's price.
   *
   * @throws {AppError} SERVICE_UNAVAILABLE when there is none, or it is not what the catalogue says
   */
  priceOf(plan: Plan): Promise<string>;
  /** The id of the plan that a price is, or once was, the price of; `undefined`: it is not one of ours. */
  planOf(priceId: string): Promise<string | undefined>;
}

export function createStripePrices(stripe: Stripe): StripePrices {
  const remembered = new LRUCache<string, Stripe.Price>({ max: 100, ttl: REMEMBERED_MS });
  // What a price was made for does not change.
  const plans = new LRUCache<string, string>({ max: 1000 });

  async function find(plan: Plan): Promise<Stripe.Price> {
    const lookupKey = lookupKeyOf(plan);
    const known = remembered.get(lookupKey);
    if (known !== undefined) return known;
    const { data } = await answerOf(stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }));
    const [price] = data;
    if (price === undefined) throw notSetUp(`there is no active price with the lookup key ${lookupKey}`);
    remembered.set(lookupKey, price);
    return price;
  }

  return {
    async priceOf(plan) {
      const price = await find(plan);
      if (isPriceOf(price, plan)) return price.id;
      remembered.delete(lookupKeyOf(plan));
      throw notSetUp(`the price ${price.id} is not what the plan ${plan.id} costs`);
    },

    async planOf(priceId) {
      const known = plans.get(priceId);
      if (known !== undefined) return known;
      const price = await answerOf(stripe.prices.retrieve(priceId)).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      const planId = price && planIdOf(price);
      if (planId !== undefined) plans.set(priceId, planId);
      return planId;
    },
  };
}

/** Whether Stripe would charge what the catalogue says. */
export function isPriceOf(price: Stripe.Price, { pricing }: Plan): boolean {
  return (
    price.unit_amount === pricing.amount &&
    price.currency === pricing.currency &&
    price.recurring?.interval === pricing.interval &&
    price.recurring.interval_count === 1
  );
}

function notSetUp(detail: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'This plan cannot be paid for at the moment; retry later.',
    detail: `${detail}: run npm run stripe:setup`,
    cause: new Error(detail),
  });
}
