import type Stripe from 'stripe';
import { isRenewing } from '../subscription-states.js';
import { answerOf } from './stripe-client.js';
import { subscriptionSnapshot } from './subscription-snapshot.js';

/** Owner of a Stripe object: the user and Stripe's id for the user. */
export interface StripeOwner {
  readonly userId: string;
  readonly customerId: string;
}

/**
 * Returns the subscriptions of a user that will renew, in their current state, the earliest first. Excludes cancelled
 * ones and those to other things that the account sells.
 */
export async function listRenewing(
  stripe: Stripe,
  { userId, customerId }: StripeOwner,
): Promise<Stripe.Subscription[]> {
  const { data } = await answerOf(stripe.subscriptions.list({ customer: customerId, limit: 100 }));
  return data
    .filter((subscription) => {
      const snapshot = subscriptionSnapshot(subscription);
      return snapshot?.userId === userId && isRenewing(snapshot.state) && !snapshot.cancelAtPeriodEnd;
    })
    .sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1));
}
