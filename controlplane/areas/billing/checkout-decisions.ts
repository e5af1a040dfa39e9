import { AppError } from '../../errors/app-error.js';
import type { Plan } from '../../plan.js';
import type { SubscriptionState } from './billing-states.js';
import { hasAccess, type Subscription } from './subscription.js';

/** Reasons why a plan cannot be checked out. Each names the step that the user must take first. */
type Refusal = 'subscribed' | 'owed' | 'canceled';

/** Starts a new subscription, or changes the plan of the current one. */
type Verdict = 'begin' | 'change' | Refusal;

/**
 * Decides a checkout by the state of the current subscription. There is never a second subscription beside an active
 * one. Users pay debts and reactivate a cancelled subscription first, because providers change neither.
 */
const CHECKOUT_DECISIONS: Readonly<Record<SubscriptionState, { samePlan: Verdict; otherPlan: Verdict }>> = {
  incomplete: { samePlan: 'begin', otherPlan: 'begin' },
  trialing: { samePlan: 'subscribed', otherPlan: 'change' },
  active: { samePlan: 'subscribed', otherPlan: 'change' },
  past_due: { samePlan: 'owed', otherPlan: 'owed' },
  canceled: { samePlan: 'canceled', otherPlan: 'canceled' },
  incomplete_expired: { samePlan: 'begin', otherPlan: 'begin' },
  ended: { samePlan: 'begin', otherPlan: 'begin' },
  revoked: { samePlan: 'begin', otherPlan: 'begin' },
};

const ADVICE: Readonly<Record<Refusal, (current: Subscription) => string>> = {
  subscribed: ({ planId }) => `You are subscribed to ${planId} already; choose another plan.`,
  owed: ({ planId }) =>
    `A payment for your subscription to ${planId} is owed: POST /payment/portal leads to where it is paid, and planId can be changed afterwards.`,
  canceled: ({ planId }) =>
    `Your subscription to ${planId} is cancelled and runs until its period ends: POST /payment/subscription/reactivate withdraws that, and planId can be changed afterwards.`,
};

/** Decides a checkout beside the current subscription. */
export function checkoutVerdict(current: Subscription | undefined, plan: Plan, nowMs: number): Verdict {
  if (current === undefined || hasRunOut(current, nowMs)) return 'begin';
  const { samePlan, otherPlan } = CHECKOUT_DECISIONS[current.state];
  return current.planId === plan.id ? samePlan : otherPlan;
}

/**
 * Decides whether checking out a plan changes the current subscription or starts a new one.
 *
 * @param current the current subscription
 * @returns the subscription whose plan changes; `undefined` for a new one
 * @throws {AppError} VALIDATION_ERROR on `planId`, which names the necessary first step
 */
export function subscriptionToChange<Known extends Subscription>(
  current: Known | undefined,
  plan: Plan,
  nowMs: number,
): Known | undefined {
  const verdict = checkoutVerdict(current, plan, nowMs);
  if (current === undefined || verdict === 'begin') return undefined;
  if (verdict === 'change') return current;
  throw new AppError('VALIDATION_ERROR', { field: 'planId', message: ADVICE[verdict](current) });
}

/** Returns whether the subscription has ended by the clock, even if no event has reported it. */
function hasRunOut(subscription: Subscription, nowMs: number): boolean {
  return subscription.state === 'canceled' && !hasAccess(subscription, nowMs);
}
