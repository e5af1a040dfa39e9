import type Stripe from 'stripe';
import type { SubscriptionState } from '../billing-states.js';
import type { SubscriptionSnapshot } from '../provider.js';
import { dateOf, dateOrNull, METADATA, planIdOf } from './stripe-names.js';

/**
 * Converts a subscription of Stripe; `undefined` if it is for another product of the account. The price determines the
 * plan. An inline price of a checkout names no plan; then the plan in the subscription's metadata counts.
 *
 * @throws when its status is unknown
 */
export function subscriptionSnapshot(subscription: Stripe.Subscription): SubscriptionSnapshot | undefined {
  const userId = subscription.metadata[METADATA.user];
  const { data: items } = subscription.items;
  const item = items.find(({ price }) => planIdOf(price) !== undefined) ?? items[0];
  const planId = item && (planIdOf(item.price) ?? subscription.metadata[METADATA.plan]);
  if (userId === undefined || item === undefined || planId === undefined) return undefined;
  return {
    id: subscription.id,
    userId,
    planId,
    state: stateOf(subscription, item.current_period_end),
    currentPeriodStart: dateOf(item.current_period_start),
    currentPeriodEnd: dateOf(item.current_period_end),
    cancelAtPeriodEnd: subscription.ended_at == null && endsWithPeriod(subscription, item.current_period_end),
    canceledAt: dateOrNull(subscription.canceled_at),
    trialStart: dateOrNull(subscription.trial_start),
    trialEnd: dateOrNull(subscription.trial_end),
    pastDueSince: dateOrNull(dueAt(subscription, item.current_period_start)),
    endedAt: dateOrNull(subscription.ended_at),
  };
}

/** @param periodEnd in seconds since 1970 */
function stateOf(subscription: Stripe.Subscription, periodEnd: number): SubscriptionState {
  const { ended_at } = subscription;
  const status: string = subscription.status;
  switch (status) {
    case 'incomplete':
    case 'incomplete_expired':
      return status;
    case 'trialing':
    case 'active':
    case 'past_due':
      return endsWithPeriod(subscription, periodEnd) ? 'canceled' : status;
    // Stripe has stopped charging: nothing is paid, the subscription has not ended, and there is no grace period.
    case 'unpaid':
      return 'past_due';
    case 'paused':
      return endsWithPeriod(subscription, periodEnd) ? 'canceled' : 'past_due';
    case 'canceled':
      return ended_at != null && ended_at >= periodEnd ? 'ended' : 'revoked';
    default:
      throw new Error(`subscription ${subscription.id} has the status ${status}, which is not known here`);
  }
}

/**
 * Returns the due time of the unpaid charge, in seconds since 1970; `null` without one, or when no more charges are
 * attempted. Stripe charges at the start of a period. After a trial without a card, it waits for a card.
 */
function dueAt({ status, trial_end }: Stripe.Subscription, periodStart: number): number | null {
  if (status === 'past_due') return periodStart;
  return status === 'paused' ? (trial_end ?? periodStart) : null;
}

/** Returns whether it ends with its period: by the flag, or by a date before the next period. */
function endsWithPeriod(subscription: Stripe.Subscription, periodEnd: number): boolean {
  const { cancel_at_period_end, cancel_at } = subscription;
  return cancel_at_period_end === true || (cancel_at != null && cancel_at <= periodEnd);
}
