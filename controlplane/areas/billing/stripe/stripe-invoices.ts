import type Stripe from 'stripe';
import type { BillingEvent } from '../provider.js';
import { answerId, momentOf } from './stripe-answers.js';
import { answerOf } from './stripe-client.js';
import { dateOf, idOf, METADATA, STRIPE } from './stripe-names.js';
import type { StripeParts } from './stripe-parts.js';
import type { StripePrices } from './stripe-prices.js';
import { invoiceCharge, invoicedPrice, transactionSnapshot } from './transaction-snapshot.js';

/** Number of the latest invoices of a subscription that are read. Older ones no longer change. */
const READ_INVOICES = 100;

/** Invoices of Stripe about the charges of a subscription. */
export interface StripeInvoices {
  /** Returns the latest charges of a subscription with their refunds, in their current state. */
  readTransactions(subscriptionId: string, customerId: string): Promise<readonly BillingEvent[]>;
  /** Returns the invoice that a charge paid; `undefined` if the charge was for something else. */
  invoiceOf(charge: Pick<Stripe.Charge, 'payment_intent'>): Promise<Stripe.Invoice | undefined>;
  /** Returns the plan of an invoice: that of its price, otherwise the subscribed one. */
  planOf(invoice: Stripe.Invoice): Promise<string | undefined>;
}

export interface StripeInvoicesDeps extends Pick<StripeParts, 'stripe' | 'nowMs'> {
  readonly prices: StripePrices;
}

export function createStripeInvoices({ stripe, prices, nowMs }: StripeInvoicesDeps): StripeInvoices {
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
    async readTransactions(subscriptionId, customerId) {
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

    async invoiceOf({ payment_intent }) {
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
