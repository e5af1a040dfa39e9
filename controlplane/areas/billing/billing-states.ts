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
 * A cancelled subscription is `canceled` until its period ends, and `ended` afterwards. The API then shows no
 * subscription.
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

/** Decides which of two running states at the same instant is later: the usual order of states. */
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

/** Statuses that the API shows. */
export const TRANSACTION_STATUSES = [
  'pending',
  'failed',
  'succeeded',
  'partially_refunded',
  'refunded',
] as const;

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** A charge that is cancelled before its payment is `void`. The API has no word for this and shows `failed`. */
export type TransactionState = TransactionStatus | 'void';

/**
 * A charge is pending, may fail and be repeated, and is then void or succeeds. A paid charge can be refunded, in part
 * and then wholly. No step is reverted.
 */
export const TRANSACTION_STEPS: Readonly<Record<TransactionState, number>> = {
  pending: 0,
  failed: 1,
  void: 2,
  succeeded: 3,
  partially_refunded: 4,
  refunded: 5,
};

/** The life of a checkout session. A payment at the last moment counts, even if the session was reported as expired. */
export const CHECKOUT_STEPS = { open: 0, expired: 1, complete: 2 } as const;

export type CheckoutStatus = keyof typeof CHECKOUT_STEPS;

/** `won`: the payment stays. `lost`: the bank has taken the money back. */
export type DisputeState = 'open' | 'won' | 'lost';

/** A late report never reverts a decision. A bank can change its decision. */
export const DISPUTE_STEPS: Readonly<Record<DisputeState, number>> = { open: 0, won: 1, lost: 1 };

/**
 * A report of an object's state. Its members decide which of two reports is later: the first member that differs
 * counts.
 */
export interface Report {
  /** Step of the reported state in the life of the object. Steps are never reverted. */
  readonly step: number;
  /** Time of the event. */
  readonly occurredAt: Date;
  /** Decides between events that the provider dates to the same second: the higher value is later. */
  readonly progress: readonly number[];
  readonly eventId: string;
}

/**
 * Whether a report replaces the stored state. Reports have one total order, and each object has the greatest one. This
 * does not depend on the order or the number of arrivals.
 *
 * @param known `undefined`: nothing is stored
 */
export function supersedes(known: Report | undefined, reported: Report): boolean {
  if (known === undefined) return true;
  const stored = orderOf(known);
  const difference = orderOf(reported)
    .map((value, place) => value - (stored[place] ?? 0))
    .find((one) => one !== 0);
  return difference === undefined ? reported.eventId > known.eventId : difference > 0;
}

function orderOf({ step, occurredAt, progress }: Report): number[] {
  return [step, occurredAt.getTime(), ...progress];
}
