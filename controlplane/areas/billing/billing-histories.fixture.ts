import fc from 'fast-check';
import type { SubscriptionState, TransactionState } from './billing-states.js';
import type { BillingEvent, SubscriptionSnapshot, TransactionSnapshot } from './provider.js';

const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3600 * 1000;

export const at = (second: number) => new Date(START_MS + second * 1000);

export function subscriptionIn(
  state: SubscriptionState,
  { id, userId, period = 0 }: { id: string; userId: string; period?: number },
): SubscriptionSnapshot {
  const isOver = state === 'ended' || state === 'revoked' || state === 'incomplete_expired';
  return {
    id,
    userId,
    planId: 'pro',
    state,
    currentPeriodStart: new Date(START_MS + period * 30 * DAY_MS),
    currentPeriodEnd: new Date(START_MS + (period + 1) * 30 * DAY_MS),
    cancelAtPeriodEnd: state === 'canceled',
    canceledAt: state === 'canceled' || isOver ? at(0) : null,
    trialStart: null,
    trialEnd: null,
    pastDueSince: state === 'past_due' ? at(0) : null,
    endedAt: isOver ? at(0) : null,
  };
}

export function transactionIn(
  status: TransactionState,
  { id, userId, subscriptionId }: { id: string; userId: string; subscriptionId: string },
): TransactionSnapshot {
  const isUnpaid = status === 'failed' || status === 'void';
  const refunded = { refunded: 2900, partially_refunded: 900 };
  return {
    providerTransactionId: id,
    userId,
    subscriptionId,
    planId: 'pro',
    type: 'payment',
    status,
    amount: 2900,
    currency: 'usd',
    taxAmount: 0,
    refundedAmount: status in refunded ? refunded[status as keyof typeof refunded] : 0,
    paidAt: status === 'pending' || isUnpaid ? null : at(0),
    refundedAt: status in refunded ? at(0) : null,
    failedAt: isUnpaid ? at(0) : null,
    receiptUrl: null,
    invoiceUrl: null,
    createdAt: at(0),
  };
}

export function told(
  id: string,
  occurredAt: Date,
  about: { readonly subscription: SubscriptionSnapshot } | { readonly transaction: TransactionSnapshot },
): BillingEvent {
  const head = { id, provider: 'test', occurredAt };
  return 'subscription' in about
    ? { ...head, about: 'subscription', ...about }
    : { ...head, about: 'transaction', ...about };
}

/** A sequence of states of a customer's subscription and charges. */
export interface History {
  /** In the order of time; some occur in the same second. */
  readonly subscription: readonly { readonly state: SubscriptionState; readonly second: number }[];
  readonly transaction: readonly { readonly status: TransactionState; readonly second: number }[];
}

const RUNNING = ['trialing', 'active', 'past_due', 'canceled'] as const;
const ENDS = ['ended', 'revoked'] as const;
const CHARGE = ['pending', 'failed', 'void', 'succeeded', 'partially_refunded', 'refunded'] as const;

const timed = <State extends string>(states: readonly State[], gaps: readonly number[]) => {
  let second = 0;
  return states.map((state, index) => {
    second += gaps[index % gaps.length] ?? 1;
    return { state, second };
  });
};

export const anyHistory: fc.Arbitrary<History> = fc
  .record({
    isIncompleteFirst: fc.boolean(),
    running: fc.array(fc.constantFrom(...RUNNING), { minLength: 1, maxLength: 6 }),
    end: fc.option(fc.constantFrom(...ENDS), { nil: undefined }),
    charge: fc.subarray([...CHARGE], { minLength: 1 }),
    gaps: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
  })
  .map(({ isIncompleteFirst, running, end, charge, gaps }) => ({
    subscription: timed<SubscriptionState>(
      [
        ...(isIncompleteFirst ? (['incomplete'] as const) : []),
        ...running,
        ...(end === undefined ? [] : [end]),
      ],
      gaps,
    ),
    transaction: timed(charge, gaps).map(({ state, second }) => ({ status: state, second })),
  }));

/** Returns the events of a history that a provider would report, in the order of time. */
export function eventsOf(
  history: History,
  ids: { readonly userId: string; readonly subscriptionId: string; readonly transactionId: string },
): BillingEvent[] {
  const { userId, subscriptionId, transactionId } = ids;
  const subscriptions = history.subscription.map(({ state, second }, index) =>
    told(`${subscriptionId}-${index}`, at(second), {
      subscription: subscriptionIn(state, { id: subscriptionId, userId, period: index }),
    }),
  );
  const transactions = history.transaction.map(({ status, second }, index) =>
    told(`${transactionId}-${index}`, at(second), {
      transaction: transactionIn(status, { id: transactionId, userId, subscriptionId }),
    }),
  );
  return [...subscriptions, ...transactions].sort(
    (one, other) => one.occurredAt.getTime() - other.occurredAt.getTime(),
  );
}

/** Returns the final states, as the provider reports them in reconciliation. */
export function readingOf(events: readonly BillingEvent[]): BillingEvent[] {
  const last = (about: BillingEvent['about']) => events.findLast((event) => event.about === about);
  return [last('subscription'), last('transaction')]
    .filter((event) => event !== undefined)
    .map((event) => ({ ...event, id: `${event.id}-read`, occurredAt: at(1000) }));
}
