import type Stripe from 'stripe';
import type { Queryable } from '../../../storage/postgres/database.js';
import { newId } from '../../../storage/postgres/new-id.js';
import { isRenewing } from '../billing-states.js';
import type { BillingEvent } from '../provider.js';
import { subscriptionRepository } from '../subscription-repository.js';
import { answerOf } from './stripe-client.js';
import { STRIPE } from './stripe-names.js';
import { subscriptionSnapshot } from './subscription-snapshot.js';

/** Members of Stripe's answers beside the requested object. */
interface Answer {
  readonly lastResponse: { readonly headers: Readonly<Record<string, string>> };
}

/**
 * Returns the time of an answer by Stripe's clock. Stripe's events, which are compared with it, use the same clock.
 * Uses the local clock if the answer has no date.
 */
export function momentOf({ lastResponse }: Answer, nowMs: number): Date {
  const date = Date.parse(lastResponse.headers.date ?? '');
  return new Date(Number.isNaN(date) ? nowMs : date);
}

/** Returns an event id that is unique to the answer. */
export function answerId(objectId: string): string {
  return `answer_${newId()}_${objectId}`;
}

/**
 * Returns the subscription of an answer as an event. The answer is newer than state known before the request, even
 * within the same second.
 */
export async function askSubscription(
  database: Queryable,
  subscriptionId: string,
  ask: () => Promise<Stripe.Response<Stripe.Subscription>>,
  nowMs: () => number,
): Promise<readonly BillingEvent[]> {
  const known = await subscriptionRepository.findById(database, subscriptionId);
  const answer = await ask();
  const subscription = subscriptionSnapshot(answer);
  if (subscription === undefined) return [];
  const answeredMs = momentOf(answer, nowMs()).getTime();
  const occurredAt = new Date(Math.max(answeredMs, (known?.occurredAt.getTime() ?? 0) + 1));
  const id = answerId(subscriptionId);
  return [{ id, provider: STRIPE, occurredAt, about: 'subscription', subscription }];
}

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
