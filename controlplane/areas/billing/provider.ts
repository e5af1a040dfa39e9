import type { Plan } from '../../plan.js';
import type { CheckoutStatus, DisputeState, SubscriptionState, TransactionState } from './billing-states.js';

/** State of a subscription at one moment, as its provider reports it. */
export interface SubscriptionSnapshot {
  /** Id at the provider; used here too. */
  readonly id: string;
  readonly userId: string;
  readonly planId: string;
  readonly state: SubscriptionState;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly cancelAtPeriodEnd: boolean;
  /** Time of the cancellation. Its effect may be immediate or at the end of the period. */
  readonly canceledAt: Date | null;
  readonly trialStart: Date | null;
  readonly trialEnd: Date | null;
  /**
   * Due time of the first failed charge after the last paid one. The grace period begins here. `null` while nothing is
   * owed. Also `null` when no more charges are attempted, because there is no grace period then.
   */
  readonly pastDueSince: Date | null;
  /** End of the subscription. `null` until then. */
  readonly endedAt: Date | null;
}

export type TransactionType = 'payment' | 'refund' | 'subscription_cycle' | 'setup_fee';

/** State of a charge at one moment. Amounts are integers in the smallest unit of the currency. */
export interface TransactionSnapshot {
  /** Id at the provider. A refund changes its charge; a repeated attempt has the same id. */
  readonly providerTransactionId: string;
  readonly userId: string;
  readonly subscriptionId: string;
  readonly planId: string;
  readonly type: TransactionType;
  readonly status: TransactionState;
  readonly amount: number;
  /** ISO 4217, in lower case. */
  readonly currency: string;
  readonly taxAmount: number;
  readonly refundedAmount: number;
  readonly paidAt: Date | null;
  readonly refundedAt: Date | null;
  readonly failedAt: Date | null;
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
  readonly createdAt: Date;
}

/** Amount due at payment, in the smallest unit of the currency; 0 where a trial begins. */
export interface CheckoutPrice {
  /** Amount before discount and tax. */
  readonly amount: number;
  readonly discountAmount: number;
  readonly taxAmount: number;
  readonly totalAmount: number;
  /** ISO 4217, in lower case. */
  readonly currency: string;
}

/** Price and customer of a checkout page, as the provider reports them. */
export interface CheckoutPayment {
  readonly price: CheckoutPrice;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
}

/** State of a checkout session at one moment. */
export interface CheckoutSnapshot {
  /** Id at the provider. */
  readonly providerCheckoutId: string;
  readonly status: CheckoutStatus;
  /** Result of the session; `null` until it is complete. */
  readonly subscriptionId: string | null;
  /** Absent: unchanged. */
  readonly payment?: CheckoutPayment;
}

/** State of a payment that the cardholder disputes at the bank. */
export interface DisputeSnapshot {
  readonly providerDisputeId: string;
  readonly userId: string;
  readonly subscriptionId: string;
  /** The disputed payment. */
  readonly providerTransactionId: string;
  readonly status: DisputeState;
  /** Amount in the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: string;
  /** Reason in the provider's terms: `fraudulent`, `product_not_received`. */
  readonly reason: string;
  readonly openedAt: Date;
}

/**
 * Event of a provider, with the state of its object. Each event has the complete state, so a later event replaces a
 * lost one.
 */
export type BillingEvent = {
  /** Stays the same when the event is reported again. */
  readonly id: string;
  readonly provider: string;
  /** Time of the event at the provider, not of its delivery. */
  readonly occurredAt: Date;
} & (
  | { readonly about: 'subscription'; readonly subscription: SubscriptionSnapshot }
  | { readonly about: 'transaction'; readonly transaction: TransactionSnapshot }
  | { readonly about: 'checkout'; readonly checkout: CheckoutSnapshot }
  | { readonly about: 'dispute'; readonly dispute: DisputeSnapshot }
);

export interface NewCheckout {
  /** Our id. It cannot be guessed, may appear in the URL of a page, and makes a repeated request idempotent. */
  readonly checkoutId: string;
  readonly userId: string;
  readonly customerId: string;
  readonly plan: Plan;
  /** Days before the first charge; 0 for none. */
  readonly trialDays: number;
  /** The subscription whose plan changes; `undefined` for a new one. */
  readonly replaces: string | undefined;
  readonly expiresAt: Date;
  /** URL for the user after payment; `null` for the dashboard. */
  readonly successUrl: string | null;
  /** URL for a user who cancels the checkout; `null` for the dashboard. */
  readonly cancelUrl: string | null;
}

export interface CheckoutPage {
  readonly providerCheckoutId: string;
  /** The hosted page to send the user to. */
  readonly url: string;
  /** Absent: the price of the plan. */
  readonly payment?: CheckoutPayment;
}

export interface OpenedCheckout {
  /**
   * `undefined`: no page is open, because the provider has a subscription that was not known here. `events` report it.
   */
  readonly page: CheckoutPage | undefined;
  /** Effects at the provider: earlier pages on which the user could have paid are closed. */
  readonly events: readonly BillingEvent[];
}

export interface Portal {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Payment provider: Stripe, or the sandbox, which takes no money. Commands resolve to their events. The caller must
 * apply them immediately. The provider may deliver these events again later, in another form and order.
 *
 * Each throws `AppError` SERVICE_UNAVAILABLE when the provider cannot be reached or does not answer in time.
 */
export interface BillingProvider {
  /** Provider name in transactions. */
  readonly name: string;
  /** Creates the customer. Resolves to the provider's id; a repeated call returns the same id. */
  createCustomer(user: { readonly id: string; readonly email: string | null }): Promise<string>;
  /**
   * Opens a page on which the user pays, until `expiresAt` (24 h). If two pages could become two subscriptions, at
   * most one stays open.
   */
  createCheckout(checkout: NewCheckout): Promise<OpenedCheckout>;
  /** Opens a page on which the user manages payment methods and invoices. It links to `returnUrl`. */
  createPortal(portal: {
    readonly userId: string;
    readonly customerId: string;
    readonly returnUrl: string | undefined;
  }): Promise<Portal>;
  /**
   * Ends the subscription with its period. For a subscription that has ended, this and the following commands return
   * that state.
   */
  cancelAtPeriodEnd(subscriptionId: string, reason: string | undefined): Promise<readonly BillingEvent[]>;
  /** Ends the subscription now. */
  cancelNow(subscriptionId: string, reason: string | undefined): Promise<readonly BillingEvent[]>;
  /** Withdraws a cancellation for the end of the period. */
  reactivate(subscriptionId: string): Promise<readonly BillingEvent[]>;
  /**
   * Reads the current state of the subscription and its transactions as events that occur now. This repairs lost
   * events. Returns none if the provider does not know the subscription.
   */
  readSubscription(subscriptionId: string): Promise<readonly BillingEvent[]>;
}
