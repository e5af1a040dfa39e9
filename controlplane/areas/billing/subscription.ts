import type { Plan } from '../../plan.js';
import { isRunning } from './billing-states.js';
import type { SubscriptionSnapshot } from './provider.js';

const DAY_MS = 24 * 3600 * 1000;

/** A stored subscription. */
export interface Subscription extends SubscriptionSnapshot {
  readonly provider: string;
  /** End of access to the plan if nothing happens; `null` without a known end. */
  readonly accessUntil: Date | null;
}

/** Returns the end of access as known now. A past time means that there is no access. */
export function accessEnd(subscription: SubscriptionSnapshot, plan: Plan): Date | null {
  const { state, currentPeriodStart, currentPeriodEnd, pastDueSince, endedAt } = subscription;
  switch (state) {
    case 'trialing':
    case 'active':
      return null;
    case 'canceled':
      return pastDueSince === null
        ? currentPeriodEnd
        : earlier(currentPeriodEnd, graceEnd(pastDueSince, plan));
    case 'past_due':
      return pastDueSince === null ? currentPeriodStart : graceEnd(pastDueSince, plan);
    case 'incomplete':
      return currentPeriodStart;
    default:
      return endedAt ?? currentPeriodStart;
  }
}

function graceEnd(dueAt: Date, { gracePeriodDays }: Plan): Date {
  return new Date(dueAt.getTime() + gracePeriodDays * DAY_MS);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** Returns whether the subscription gives access to its plan now. */
export function hasAccess(
  { state, accessUntil }: Pick<Subscription, 'state' | 'accessUntil'>,
  nowMs: number,
): boolean {
  return isRunning(state) && (accessUntil === null || accessUntil.getTime() > nowMs);
}

/** Returns whether it is in its trial. A cancelled trial continues until its end. */
export function isTrialing({ state, trialEnd }: Subscription, nowMs: number): boolean {
  return state === 'trialing' || (state === 'canceled' && trialEnd !== null && trialEnd.getTime() > nowMs);
}
