import type Stripe from 'stripe';
import type { TransactionState } from '../billing-states.js';
import type { BillingEvent, TransactionSnapshot, TransactionType } from '../provider.js';
import { answerId, momentOf } from './stripe-answers.js';
import { answerOf, type StripeParts } from './stripe-client.js';
import { dateOf, dateOrNull, idOf, METADATA, STRIPE } from './stripe-names.js';
import type { StripePrices } from './stripe-prices.js';

/** Number of the latest invoices of a subscription that are read. Older ones no longer change. */
const READ_INVOICES = 100;

/** Invoices of Stripe about the charges of a subscription. */
export type StripeInvoices = ReturnType<typeof createStripeInvoices>;

interface StripeInvoicesDeps extends Pick<StripeParts, 'stripe' | 'nowMs'> {
  readonly prices: StripePrices;
}

export function createStripeInvoices({ stripe, prices, nowMs }: StripeInvoicesDeps) {
  /** Returns the plan of an invoice: that of its price, otherwise the subscribed one. */
  async function planOf(invoice: Stripe.Invoice): Promise<string | undefined> {
    const metadata = invoice.parent?.subscription_details?.metadata;
    if (metadata?.[METADATA.user] === undefined) return undefined;
    const price = invoicedPrice(invoice);
    return (price && (await prices.planOf(price))) ?? metadata[METADATA.plan];
  }

  async function readInvoice(
    invoice: Stripe.Invoice,
    charges: ReadonlyMap<string, Stripe.Charge>,
    occurredAt: Date,
  ): Promise<BillingEvent[]> {
    const charge = intentsOf(invoice).flatMap((intent) => charges.get(intent) ?? [])[0];
    const transaction = transactionSnapshot(invoice, {
      planId: await planOf(invoice),
      charge: charge && invoiceCharge(charge, occurredAt),
      attemptedAt: dateOf(invoice.status_transitions.finalized_at ?? invoice.created),
    });
    if (transaction === undefined) return [];
    const id = answerId(invoice.id);
    return [{ id, provider: STRIPE, occurredAt, about: 'transaction', transaction }];
  }

  async function chargesByIntent(customer: string): Promise<Map<string, Stripe.Charge>> {
    const { data } = await answerOf(
      stripe.charges.list({ customer, limit: READ_INVOICES, expand: ['data.refunds'] }),
    );
    // Newest first: only the last attempt can have succeeded.
    const charges = [...data].reverse();
    return new Map(
      charges.flatMap((charge) => (charge.payment_intent ? [[idOf(charge.payment_intent), charge]] : [])),
    );
  }

  return {
    /** Returns the latest charges of a subscription with their refunds, in their current state. */
    async readTransactions(subscriptionId: string, customerId: string): Promise<readonly BillingEvent[]> {
      const invoices = await answerOf(
        stripe.invoices.list({
          subscription: subscriptionId,
          limit: READ_INVOICES,
          expand: ['data.payments'],
        }),
      );
      const charges = await chargesByIntent(customerId);
      const occurredAt = momentOf(invoices, nowMs());
      const events: BillingEvent[] = [];
      for (const invoice of invoices.data) events.push(...(await readInvoice(invoice, charges, occurredAt)));
      return events;
    },

    planOf,

    /** Returns the invoice that a charge paid; `undefined` if the charge was for something else. */
    async invoiceOf({
      payment_intent,
    }: Pick<Stripe.Charge, 'payment_intent'>): Promise<Stripe.Invoice | undefined> {
      if (payment_intent == null) return undefined;
      const payment = { type: 'payment_intent', payment_intent: idOf(payment_intent) } as const;
      const { data } = await answerOf(
        stripe.invoicePayments.list({ payment, limit: 1, expand: ['data.invoice'] }),
      );
      const invoice = data[0]?.invoice;
      return typeof invoice === 'object' && invoice.deleted !== true ? invoice : undefined;
    },
  };
}

function intentsOf(invoice: Stripe.Invoice): string[] {
  return (invoice.payments?.data ?? []).flatMap(({ payment }) =>
    payment.payment_intent === undefined ? [] : [idOf(payment.payment_intent)],
  );
}

/** Facts that an invoice itself lacks. */
interface InvoiceContext {
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

/** Returns the price of an invoice. If the invoice also credits the rest of an old plan, the new plan counts. */
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
