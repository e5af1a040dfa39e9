import type Stripe from 'stripe';
import type { AreaParts } from '../../../area.js';
import type { BillingEvent } from '../provider.js';
import { checkoutSnapshot } from './checkout-snapshot.js';
import { openPagesRepository } from './open-pages-repository.js';
import { disputeSnapshot } from './stripe-disputes.js';
import { unreadableMember } from './stripe-event-shape.js';
import {
  type InvoiceCharge,
  invoiceCharge,
  type StripeInvoices,
  transactionSnapshot,
} from './stripe-invoices.js';
import { dateOf, STRIPE } from './stripe-names.js';
import { subscriptionSnapshot } from './subscription-snapshot.js';

/**
 * Translates a Stripe event into billing events. Returns none for unknown kinds, foreign objects and unexpected
 * shapes. Requests to Stripe are made only to find the plan of an unknown price and the invoice of a refunded or
 * disputed charge.
 */
export type ReadStripeEvent = (event: Stripe.Event) => Promise<readonly BillingEvent[]>;

export interface StripeEventReadingDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly invoices: StripeInvoices;
}

export function createStripeEventReading(deps: StripeEventReadingDeps): ReadStripeEvent {
  const { database, invoices, logger } = deps;

  function readSubscription(told: Told, object: Stripe.Subscription): BillingEvent[] {
    const subscription = subscriptionSnapshot(object);
    return subscription === undefined ? [] : [{ ...told, about: 'subscription', subscription }];
  }

  /** Stripe reports a changed plan, but not the page on which it was changed. */
  async function readUpdate(
    told: Told,
    { object, previous_attributes: previous }: Stripe.CustomerSubscriptionUpdatedEvent.Data,
  ): Promise<BillingEvent[]> {
    const read = readSubscription(told, object);
    const subscription = subscriptionSnapshot(object);
    if (subscription === undefined || !isOtherPrice(previous?.items, object.items)) return read;
    const { userId, planId, id: subscriptionId } = subscription;
    const page = await openPagesRepository.findPlanChange(database, { userId, planId, at: told.occurredAt });
    if (page === undefined) return read;
    const checkout = { providerCheckoutId: page, status: 'complete', subscriptionId } as const;
    return [...read, { ...told, id: `${told.id}_${page}`, about: 'checkout', checkout }];
  }

  async function readRefund(told: Told, charge: Stripe.Charge): Promise<BillingEvent[]> {
    const invoice = await invoices.invoiceOf(charge);
    return invoice === undefined ? [] : readInvoice(told, invoice, invoiceCharge(charge, told.occurredAt));
  }

  async function readDispute(told: Told, object: Stripe.Dispute): Promise<BillingEvent[]> {
    const dispute = disputeSnapshot(object, await invoices.invoiceOf(object));
    return dispute === undefined ? [] : [{ ...told, about: 'dispute', dispute }];
  }

  async function readInvoice(
    told: Told,
    invoice: Stripe.Invoice,
    charge?: InvoiceCharge,
  ): Promise<BillingEvent[]> {
    const planId = await invoices.planOf(invoice);
    const transaction = transactionSnapshot(invoice, { planId, charge, attemptedAt: told.occurredAt });
    return transaction === undefined ? [] : [{ ...told, about: 'transaction', transaction }];
  }

  return async (event) => {
    const member = unreadableMember(event);
    if (member !== undefined) {
      logger.warn(
        { event: event.id, type: event.type, member },
        'an event of Stripe is ignored for its shape: npm run stripe:setup sees to the version of the endpoint',
      );
      return [];
    }
    const told = { id: event.id, provider: STRIPE, occurredAt: dateOf(event.created) };
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.expired':
        return [{ ...told, about: 'checkout', checkout: checkoutSnapshot(event.data.object) }];
      case 'customer.subscription.created':
      case 'customer.subscription.deleted':
      case 'customer.subscription.paused':
      case 'customer.subscription.resumed':
        return readSubscription(told, event.data.object);
      case 'customer.subscription.updated':
        return readUpdate(told, event.data);
      case 'invoice.finalized':
      case 'invoice.paid':
      case 'invoice.payment_failed':
      case 'invoice.voided':
      case 'invoice.marked_uncollectible':
        return readInvoice(told, event.data.object);
      case 'charge.refunded':
        return readRefund(told, event.data.object);
      case 'charge.dispute.created':
      case 'charge.dispute.updated':
      case 'charge.dispute.closed':
      case 'charge.dispute.funds_withdrawn':
      case 'charge.dispute.funds_reinstated':
        return readDispute(told, event.data.object);
      default:
        return [];
    }
  };
}

type Items = Stripe.Subscription['items'];

/** @param before the earlier values of the members that changed; `undefined`: none changed */
function isOtherPrice(before: Items | null | undefined, { data }: Items): boolean {
  return before != null && before.data?.[0]?.price?.id !== data[0]?.price.id;
}

type Told = Pick<BillingEvent, 'id' | 'provider' | 'occurredAt'>;
