import type Stripe from 'stripe';
import type { Plan } from '../../../plan.js';
import { answerOf, isMissing } from './stripe-client.js';
import { lookupKeyOf, METADATA } from './stripe-names.js';
import { isPriceOf } from './stripe-prices.js';

/** Prints one line. */
export type Say = (line: string) => void;

/** A product as it should be. Its id contains the plan, so that it is found again without a search. */
export interface SetUpProduct {
  readonly product: string;
  readonly price: string;
}

/** Creates or updates the product and the price of a plan. Does nothing if both are right. */
export async function setUpPlan(stripe: Stripe, plan: Plan, say: Say): Promise<SetUpProduct> {
  const product = await setUpProduct(stripe, plan, say);
  return { product, price: await setUpPrice(stripe, plan, product, say) };
}

async function setUpProduct(stripe: Stripe, plan: Plan, say: Say): Promise<string> {
  const id = lookupKeyOf(plan);
  const { name, description } = plan;
  const wanted = { name, metadata: { [METADATA.plan]: plan.id } };
  const known = await answerOf(stripe.products.retrieve(id)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (known === undefined) {
    // Stripe removes a description that is an empty text, and refuses one for a new product.
    await answerOf(stripe.products.create({ id, ...wanted, ...(description !== '' && { description }) }));
    say(`product ${id}: created`);
  } else if (known.name !== name || (known.description ?? '') !== description || !known.active) {
    await answerOf(stripe.products.update(id, { ...wanted, description, active: true }));
    say(`product ${id}: updated`);
  } else {
    say(`product ${id}: as it should be`);
  }
  return id;
}

/** The amount of a price cannot change. A new price takes over the lookup key. Subscribers keep paying the old price. */
async function setUpPrice(stripe: Stripe, plan: Plan, product: string, say: Say): Promise<string> {
  const lookupKey = lookupKeyOf(plan);
  const { data } = await answerOf(stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }));
  const [known] = data;
  if (known !== undefined && isPriceOf(known, plan)) {
    say(`price ${known.id} (${lookupKey}): as it should be`);
    return known.id;
  }
  const { amount, currency, interval } = plan.pricing;
  const price = await answerOf(
    stripe.prices.create({
      product,
      unit_amount: amount,
      currency,
      recurring: { interval },
      lookup_key: lookupKey,
      transfer_lookup_key: true,
      metadata: { [METADATA.plan]: plan.id },
    }),
  );
  const instead = known === undefined ? '' : ` in the place of ${known.id}`;
  say(`price ${price.id} (${lookupKey}): created${instead}`);
  return price.id;
}
