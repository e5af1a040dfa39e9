import type { Plan } from '../../../plan.js';
import type { SubscriptionSnapshot, TransactionSnapshot } from '../provider.js';
import type { Subscription } from '../subscription.js';

/** Changes of a subscription. Each takes the current state and the time of the change. */
export const subscriptionChange = {
  /** Starts a new subscription, or the new plan of the current one, with its first period or trial. */
  begun(
    base: { readonly id: string; readonly userId: string },
    { plan, trialDays, at }: { readonly plan: Plan; readonly trialDays: number; readonly at: Date },
  ): SubscriptionSnapshot {
    const trialEnd = trialDays > 0 ? daysLater(at, trialDays) : null;
    return {
      ...unchanged(base),
      planId: plan.id,
      state: trialEnd === null ? 'active' : 'trialing',
      currentPeriodStart: at,
      currentPeriodEnd: trialEnd ?? oneIntervalLater(at, plan.pricing.interval),
      trialStart: trialEnd === null ? null : at,
      trialEnd,
    };
  },

  /** The first payment was declined. The subscription waits for another attempt. */
  incomplete(
    base: { readonly id: string; readonly userId: string },
    plan: Plan,
    { at, until }: { readonly at: Date; readonly until: Date },
  ): SubscriptionSnapshot {
    return {
      ...unchanged(base),
      planId: plan.id,
      state: 'incomplete',
      currentPeriodStart: at,
      currentPeriodEnd: until,
      trialStart: null,
      trialEnd: null,
    };
  },

  /** Ends the period now. The next one is paid and begins here. */
  renewed(current: Subscription, plan: Plan, at: Date): SubscriptionSnapshot {
    const start = current.currentPeriodEnd;
    const trialEnd = current.trialEnd !== null && current.trialEnd > at ? at : current.trialEnd;
    return {
      ...current,
      state: 'active',
      currentPeriodStart: start,
      currentPeriodEnd: oneIntervalLater(start, plan.pricing.interval),
      pastDueSince: null,
      trialEnd,
    };
  },

  pastDue: (current: Subscription, at: Date): SubscriptionSnapshot => ({
    ...current,
    state: 'past_due',
    pastDueSince: current.pastDueSince ?? at,
  }),

  canceled: (current: Subscription, at: Date): SubscriptionSnapshot => ({
    ...current,
    state: 'canceled',
    cancelAtPeriodEnd: true,
    canceledAt: at,
  }),

  revoked: (current: Subscription, at: Date): SubscriptionSnapshot => ({
    ...current,
    state: 'revoked',
    cancelAtPeriodEnd: false,
    canceledAt: at,
    endedAt: at,
  }),

  ended: (current: Subscription): SubscriptionSnapshot => ({
    ...current,
    state: 'ended',
    endedAt: current.currentPeriodEnd,
  }),

  neverPaid: (current: Subscription, at: Date): SubscriptionSnapshot => ({
    ...current,
    state: 'incomplete_expired',
    endedAt: at,
  }),

  reactivated(current: Subscription, at: Date): SubscriptionSnapshot {
    const isInTrial = current.trialEnd !== null && current.trialEnd > at;
    const paid = isInTrial ? 'trialing' : 'active';
    return {
      ...current,
      state: current.pastDueSince === null ? paid : 'past_due',
      cancelAtPeriodEnd: false,
      canceledAt: null,
    };
  },
};

function unchanged({ id, userId }: { readonly id: string; readonly userId: string }) {
  return {
    id,
    userId,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    pastDueSince: null,
    endedAt: null,
  } as const;
}

export interface Charge {
  readonly id: string;
  readonly subscription: Pick<SubscriptionSnapshot, 'id' | 'userId'>;
  readonly plan: Plan;
  readonly type: 'payment' | 'subscription_cycle';
  readonly at: Date;
  /** Page that shows the charge. */
  readonly receiptUrl: string;
}

/** Changes of a charge. */
export const chargeChange = {
  succeeded: (charge: Charge): TransactionSnapshot => ({
    ...begun(charge),
    status: 'succeeded',
    paidAt: charge.at,
    receiptUrl: charge.receiptUrl,
    invoiceUrl: charge.receiptUrl,
  }),

  failed: (charge: Charge): TransactionSnapshot => ({
    ...begun(charge),
    status: 'failed',
    failedAt: charge.at,
  }),

  refunded: (transaction: TransactionSnapshot, at: Date): TransactionSnapshot => ({
    ...transaction,
    status: 'refunded',
    refundedAmount: transaction.amount,
    refundedAt: at,
  }),
};

function begun({ id, subscription, plan, type, at }: Charge) {
  return {
    providerTransactionId: id,
    userId: subscription.userId,
    subscriptionId: subscription.id,
    planId: plan.id,
    type,
    amount: plan.pricing.amount,
    currency: plan.pricing.currency,
    taxAmount: 0,
    refundedAmount: 0,
    paidAt: null,
    refundedAt: null,
    failedAt: null,
    receiptUrl: null,
    invoiceUrl: null,
    createdAt: at,
  };
}

const DAY_MS = 24 * 3600 * 1000;
const MONTHS = { month: 1, year: 12 } as const;

/** Adds one interval (UTC). The time of day stays. If the month is too short, the result is its last day. */
function oneIntervalLater(date: Date, interval: Plan['pricing']['interval']): Date {
  const later = new Date(date);
  later.setUTCMonth(later.getUTCMonth() + MONTHS[interval]);
  // `Date` would turn 31 January plus one month into 3 March.
  if (later.getUTCDate() !== date.getUTCDate()) later.setUTCDate(0);
  return later;
}

function daysLater(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}
