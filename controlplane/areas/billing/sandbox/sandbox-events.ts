import { newId } from '../../../storage/postgres/new-id.js';
import type {
  BillingEvent,
  CheckoutSnapshot,
  SubscriptionSnapshot,
  TransactionSnapshot,
} from '../provider.js';

/** Provider name in transactions. */
export const SANDBOX = 'sandbox';

/**
 * Returns the time of the next event: now, but later than the known event. This gives two actions in one millisecond
 * an order.
 */
export function momentAfter(known: { readonly occurredAt: Date } | undefined, nowMs: number): Date {
  return new Date(Math.max(nowMs, known === undefined ? 0 : known.occurredAt.getTime() + 1));
}

/** @param id the same for every repetition of an event that counts once */
export function subscriptionEvent(
  subscription: SubscriptionSnapshot,
  occurredAt: Date,
  id = `sbx_evt_${newId()}`,
): BillingEvent {
  return { id, provider: SANDBOX, occurredAt, about: 'subscription', subscription };
}

export function transactionEvent(
  transaction: TransactionSnapshot,
  occurredAt: Date,
  id = `sbx_evt_${newId()}`,
): BillingEvent {
  return { id, provider: SANDBOX, occurredAt, about: 'transaction', transaction };
}

export function checkoutEvent(checkout: CheckoutSnapshot, occurredAt: Date, id: string): BillingEvent {
  return { id, provider: SANDBOX, occurredAt, about: 'checkout', checkout };
}
