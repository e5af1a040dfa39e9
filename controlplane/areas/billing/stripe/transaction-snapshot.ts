import type Stripe from 'stripe';
import type { TransactionSnapshot, TransactionType } from '../provider.js';
import type { TransactionState } from '../transaction-states.js';
import { dateOf, dateOrNull, idOf, METADATA } from './stripe-names.js';

/** Facts that an invoice itself lacks. */
export interface InvoiceContext {
  /** The paid plan; `undefined` for a foreign price. */
  readonly planId: string | undefined;
  /** `undefined`: unknown. */
  readonly charge: InvoiceCharge | undefined;
  /** Time of the last attempt, for transactions without a charge. */
  readonly attemptedAt: Date;
}

/** Known facts of an invoice's payment. */
export interface InvoiceCharge {
  readonly receiptUrl: string | null;
  readonly refundedAmount: number;
  readonly refundedAt: Date | null;
  /** Time of the last attempt. */
  readonly attemptedAt: Date;
}

/**
 * @param reportedAt time of Stripe's report of the charge. A charge contains its refunds only if they were requested.
 */
export function invoiceCharge(charge: Stripe.Charge, reportedAt: Date): InvoiceCharge {
  const isRefunded = charge.amount_refunded > 0;
  const lastRefund = Math.max(...(charge.refunds?.data ?? []).map(({ created }) => created));
  const refundedAt = Number.isFinite(lastRefund) ? dateOf(lastRefund) : reportedAt;
  return {
    receiptUrl: charge.receipt_url ?? null,
    refundedAmount: charge.amount_refunded,
    refundedAt: isRefunded ? refundedAt : null,
    attemptedAt: dateOf(charge.created),
  };
}

/**
 * Converts an invoice of Stripe. It keeps its id through all attempts and refunds. `undefined` if there is nothing to
 * charge: a draft, an amount of 0 (a trial begins with one), or an invoice for something else.
 */
export function transactionSnapshot(
  invoice: Stripe.Invoice,
  { planId, charge, attemptedAt }: InvoiceContext,
): TransactionSnapshot | undefined {
  const details = invoice.parent?.subscription_details;
  const userId = details?.metadata?.[METADATA.user];
  const isPaid = invoice.status === 'paid';
  const amount = isPaid ? invoice.amount_paid : invoice.amount_due;
  if (details == null || userId === undefined || planId === undefined) return undefined;
  if (invoice.status === 'draft' || amount <= 0) return undefined;
  const refundedAmount = isPaid ? Math.min(amount, charge?.refundedAmount ?? 0) : 0;
  const status = statusOf(invoice, amount, refundedAmount);
  const page = invoice.hosted_invoice_url ?? null;
  return {
    providerTransactionId: invoice.id,
    userId,
    subscriptionId: idOf(details.subscription),
    planId,
    type: typeOf(invoice),
    status,
    amount,
    currency: invoice.currency,
    taxAmount: (invoice.total_taxes ?? []).reduce((sum, tax) => sum + tax.amount, 0),
    refundedAmount,
    paidAt: isPaid ? dateOrNull(invoice.status_transitions?.paid_at) : null,
    refundedAt: refundedAmount > 0 ? (charge?.refundedAt ?? null) : null,
    failedAt: status === 'failed' || status === 'void' ? (charge?.attemptedAt ?? attemptedAt) : null,
    // The page of a paid invoice offers the receipt.
    receiptUrl: charge?.receiptUrl ?? (isPaid ? page : null),
    invoiceUrl: page,
    createdAt: dateOf(invoice.created),
  };
}

/**
 * Returns the price of an invoice. A change of plan also refunds the rest of the old plan; then the new plan counts.
 */
export function invoicedPrice({ lines }: Stripe.Invoice): string | undefined {
  const [main] = [...(lines?.data ?? [])].sort((one, other) => other.amount - one.amount);
  const price = main?.pricing?.price_details?.price;
  return price == null ? undefined : idOf(price);
}

function statusOf(invoice: Stripe.Invoice, amount: number, refundedAmount: number): TransactionState {
  if (invoice.status === 'paid') {
    if (refundedAmount === 0) return 'succeeded';
    return refundedAmount < amount ? 'partially_refunded' : 'refunded';
  }
  if (invoice.status === 'void') return 'void';
  return invoice.status === 'uncollectible' || invoice.attempt_count > 0 ? 'failed' : 'pending';
}

function typeOf({ billing_reason }: Stripe.Invoice): TransactionType {
  return billing_reason === 'subscription_cycle' ? 'subscription_cycle' : 'payment';
}
