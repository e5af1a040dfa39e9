/** Statuses that the API shows. */
export const SUBSCRIPTION_STATUSES = [
  'active',
  'trialing',
  'canceled',
  'revoked',
  'past_due',
  'incomplete',
  'incomplete_expired',
] as const;

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/**
 * A cancelled subscription is `canceled` until its period ends, and `ended` afterwards. The API has no subscription
 * then.
 */
export type SubscriptionState = SubscriptionStatus | 'ended';

/**
 * The life of a subscription has five steps: not paid yet (`incomplete`); running; never paid (`incomplete_expired`);
 * ended with its period (`ended`); ended early (`revoked`). No step is reverted. Running states change in any order,
 * and the newer report counts.
 */
export const SUBSCRIPTION_STEPS: Readonly<Record<SubscriptionState, number>> = {
  incomplete: 0,
  trialing: 1,
  active: 1,
  past_due: 1,
  canceled: 1,
  incomplete_expired: 2,
  ended: 3,
  revoked: 4,
};

/** Decides which of two running states of the same instant is later, by the usual order. */
export const SUBSCRIPTION_PROGRESS: Readonly<Record<SubscriptionState, number>> = {
  incomplete: 0,
  trialing: 1,
  active: 2,
  past_due: 3,
  canceled: 4,
  incomplete_expired: 5,
  ended: 6,
  revoked: 7,
};

/** Whether it has begun and not ended: the provider may charge for it. */
export function isRunning(state: SubscriptionState): boolean {
  return state === 'trialing' || state === 'active' || state === 'past_due' || state === 'canceled';
}

/** Whether another period follows. A cancelled subscription has no next period. */
export function isRenewing(state: SubscriptionState): boolean {
  return isRunning(state) && state !== 'canceled';
}
