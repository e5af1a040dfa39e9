import { newId } from '../../../storage/postgres/new-id.js';
import type {
  BillingEvent,
  CheckoutSnapshot,
  SubscriptionSnapshot,
  TransactionSnapshot,
} from '../provider.js';

/** As it stands in transactions. */
export const SANDBOX = 'sandbox';

/**
 * When the next thing happens to something: now, but after what is known of it, so that two actions of the same
 * millisecond have an order.
 */
export function momentAfter(known: { readonly occurredAt: Date } | undefined, nowMs: number): Date {
  return new Date(Math.max(nowMs, known === undefined ? 0 : known.occurredAt.getTime() + 1));
}

/** @param id the same for what must count once however often it is asked for */
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
