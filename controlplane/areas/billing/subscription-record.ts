import { type Static, Type } from 'typebox';
import { nullable, recordOf, time } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';
import { PlanSchema, planRecord } from '../plans/public.js';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from './billing-states.js';
import { hasAccess, isTrialing, type Subscription } from './subscription.js';

const DAY_MS = 24 * 3600 * 1000;

export const SubscriptionSchema = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...SUBSCRIPTION_STATUSES], {
      description:
        '`canceled`: access until the period ends. `revoked`: ended at once. `past_due`: in the grace period.',
    }),
    plan: PlanSchema,
    currentPeriodStart: time,
    currentPeriodEnd: time,
    cancelAtPeriodEnd: Type.Boolean(),
    canceledAt: nullable(time),
    trialStart: nullable(time),
    trialEnd: nullable(time),
    isActive: Type.Boolean({ description: 'Whether the limits of the plan apply now.' }),
    isTrialing: Type.Boolean(),
    daysUntilRenewal: Type.Integer({
      description: 'Days until the current period ends, rounded up. 0 without access.',
    }),
    message: Type.String({ description: 'Label for people.' }),
  },
  { title: 'Subscription' },
);

export type SubscriptionRecord = Static<typeof SubscriptionSchema>;

/** A subscription as the API shows it. */
export function subscriptionRecord(
  subscription: Subscription,
  plan: Plan,
  nowMs: number,
): SubscriptionRecord {
  const isActive = hasAccess(subscription, nowMs);
  const remainingMs = subscription.currentPeriodEnd.getTime() - nowMs;
  return recordOf(SubscriptionSchema, {
    ...subscription,
    status: statusOf(subscription),
    plan: planRecord(plan),
    isActive,
    isTrialing: isTrialing(subscription, nowMs),
    daysUntilRenewal: isActive ? Math.max(0, Math.ceil(remainingMs / DAY_MS)) : 0,
    message: statusMessage(subscription, plan),
  });
}

/** Status as the API shows it. A subscription that has ended stays cancelled. */
export function statusOf({ state }: Pick<Subscription, 'state'>): SubscriptionStatus {
  return state === 'ended' ? 'canceled' : state;
}

/** Formats the day (UTC) on which access ends if nothing happens. */
export function lastAccessDay({
  accessUntil,
  currentPeriodEnd,
}: Pick<Subscription, 'accessUntil' | 'currentPeriodEnd'>): string {
  return dayOf(accessUntil ?? currentPeriodEnd);
}

function statusMessage(subscription: Subscription, plan: Plan): string {
  const periodEnd = dayOf(subscription.currentPeriodEnd);
  switch (subscription.state) {
    case 'active':
      return `You are subscribed to ${plan.name}; it renews on ${periodEnd}.`;
    case 'trialing':
      return `You are trying ${plan.name}; the first charge is on ${dayOf(subscription.trialEnd ?? subscription.currentPeriodEnd)}.`;
    case 'canceled':
      return `Your subscription to ${plan.name} is cancelled; you keep access until ${lastAccessDay(subscription)}.`;
    case 'past_due':
      return `The payment for ${plan.name} has failed; you keep access until ${lastAccessDay(subscription)}. Update your payment method.`;
    case 'incomplete':
      return `The first payment for ${plan.name} is not complete.`;
    case 'incomplete_expired':
      return `The first payment for ${plan.name} was never completed.`;
    case 'ended':
      return `Your subscription to ${plan.name} has ended.`;
    case 'revoked':
      return `Your subscription to ${plan.name} was ended at once; its limits no longer apply.`;
  }
}

/** Formats the day (UTC) of a time. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
