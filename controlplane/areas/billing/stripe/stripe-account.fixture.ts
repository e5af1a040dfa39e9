import type Stripe from 'stripe';
import type { Plan } from '../../../plan.js';
import type { EdgeAnswer, EdgeRequest } from './stripe-edge.fixture.js';
import { createStripeLedger, type Loose } from './stripe-ledger.fixture.js';
import { chargeObject, invoiceObject, priceObject, subscriptionObject } from './stripe-objects.fixture.js';
import { createStripeRequests } from './stripe-requests.fixture.js';

const DAY = 24 * 3600;

/** An account of Stripe: its objects, and the events that they cause. */
export interface StripeAccount {
  answer(request: EdgeRequest): EdgeAnswer;
  /** Returns all events since the last call, in order. */
  takeEvents(): Stripe.Event[];
  /** Pays on the page of a checkout session, which stores `details`. Returns the subscription's id. */
  pay(sessionId: string, details?: Loose): string;
  /** Confirms a change of plan on a page of the portal. */
  confirmChange(portalSessionId: string): void;
  /** Ends the period. The next one is charged. */
  renew(subscriptionId: string, succeeds: boolean): void;
  /** Pays the open invoice. */
  settle(subscriptionId: string): void;
  /** Voids the invoice. If it is the latest one, nothing is owed. */
  voidInvoice(invoiceId: string): void;
  refund(invoiceId: string, amount: number): void;
  /** Reports that the cardholder disputes the payment of an invoice, or that the bank decides the dispute. */
  dispute(invoiceId: string, type: 'created' | 'updated' | 'closed', status: Stripe.Dispute.Status): void;
  /** Makes all charge attempts fail. No more are made, and the subscription stays unpaid. */
  giveUp(subscriptionId: string): void;
  /** Ends a cancelled subscription. */
  end(subscriptionId: string): void;
  expire(sessionId: string): void;
  latestInvoice(subscriptionId: string): string;
}

export interface StripeAccountOptions {
  /** In milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Plans that have prices. */
  readonly plans: readonly Plan[];
}

export function createStripeAccount({ nowMs: now, plans }: StripeAccountOptions): StripeAccount {
  const ledger = createStripeLedger(now);
  const { store, add, nextId, tell, takeEvents, seconds } = ledger;
  const { answer, finish, giveBack } = createStripeRequests(ledger);

  for (const { id: plan, pricing } of plans) {
    const key = `waymark_${plan}`;
    const metadata = { waymark_plan: plan };
    add(
      'prices',
      priceObject({ id: `price_${plan}`, lookup_key: key, metadata, unit_amount: pricing.amount }),
    );
  }

  function invoice(subscription: Loose, reason: string, succeeds: boolean): void {
    const { price } = subscription.items.data[0];
    const id = nextId('in');
    const intent = nextId('pi');
    const trialing = subscription.status === 'trialing';
    const amount = trialing ? 0 : price.unit_amount;
    const object: Loose = add(
      'invoices',
      invoiceObject({
        id,
        amount_due: amount,
        amount_paid: succeeds ? amount : 0,
        billing_reason: reason,
        created: seconds(),
        customer: subscription.customer,
        hosted_invoice_url: `https://invoice.stripe.example/${id}`,
        status: succeeds ? 'paid' : 'open',
        status_transitions: {
          finalized_at: seconds(),
          marked_uncollectible_at: null,
          paid_at: succeeds ? seconds() : null,
          voided_at: null,
        },
        total: amount,
        payments: {
          object: 'list',
          data: [{ id: nextId('inpay'), payment: { type: 'payment_intent', payment_intent: intent } }],
        },
      }),
    );
    object.lines.data[0].amount = amount;
    object.lines.data[0].pricing.price_details.price = price.id;
    object.parent.subscription_details = { metadata: subscription.metadata, subscription: subscription.id };
    subscription.latest_invoice = id;
    if (amount > 0) addCharge(object, intent, succeeds);
    const { payments: _, ...told } = object;
    tell(succeeds ? 'invoice.paid' : 'invoice.payment_failed', told);
  }

  function addCharge(invoiced: Loose, intent: string, succeeds: boolean): void {
    const id = nextId('ch');
    add(
      'charges',
      chargeObject({
        id,
        amount: invoiced.amount_due,
        created: seconds(),
        customer: invoiced.customer,
        payment_intent: intent,
        paid: succeeds,
        status: succeeds ? 'succeeded' : 'failed',
        receipt_url: succeeds ? `https://pay.stripe.example/receipts/${id}` : null,
        refunds: { object: 'list', data: [] },
      }),
    );
  }

  /** A session's inline price. It has a separate product, and only the product names the plan. */
  function addInline({ currency, unit_amount, recurring, product_data }: Loose): Loose {
    const product = add('products', { ...product_data, id: nextId('prod'), object: 'product' });
    return add(
      'prices',
      priceObject({
        id: nextId('price'),
        lookup_key: null,
        metadata: {},
        product: product.id,
        currency,
        unit_amount: Number(unit_amount),
        recurring: { ...recurring, interval_count: 1 },
      }),
    );
  }

  function begin(session: Loose): Loose {
    const trialDays = session.subscription_data.trial_period_days;
    const end = seconds() + (trialDays === undefined ? 31 : Number(trialDays)) * DAY;
    const [line] = session.line_items;
    const price =
      line.price_data === undefined ? store('prices').get(line.price) : addInline(line.price_data);
    const subscription = subscriptionObject(
      {
        id: nextId('sub'),
        customer: session.customer,
        created: seconds(),
        metadata: session.subscription_data.metadata,
        status: trialDays === undefined ? 'active' : 'trialing',
        trial_start: trialDays === undefined ? null : seconds(),
        trial_end: trialDays === undefined ? null : end,
      },
      { start: seconds(), end, price },
    );
    return add('subscriptions', subscription);
  }

  const subscriptionOf = (id: string): Loose => store('subscriptions').get(id);

  return {
    answer,
    takeEvents,
    pay(sessionId, details = {}) {
      const session = store('checkout/sessions').get(sessionId);
      const subscription = begin(session);
      tell('customer.subscription.created', subscription);
      invoice(subscription, 'subscription_create', true);
      Object.assign(session, { status: 'complete', subscription: subscription.id, ...details });
      tell('checkout.session.completed', session);
      return subscription.id;
    },
    confirmChange(portalSessionId) {
      const { flow_data } = store('billing_portal/sessions').get(portalSessionId);
      const { subscription: id, items } = flow_data.subscription_update_confirm;
      const subscription = subscriptionOf(id);
      const previous = structuredClone({ items: subscription.items });
      subscription.items.data[0].price = store('prices').get(items[0].price);
      tell('customer.subscription.updated', subscription, previous);
    },
    renew(subscriptionId, succeeds) {
      const subscription = subscriptionOf(subscriptionId);
      const [item] = subscription.items.data;
      item.current_period_start = item.current_period_end;
      item.current_period_end += 30 * DAY;
      subscription.status = succeeds ? 'active' : 'past_due';
      invoice(subscription, 'subscription_cycle', succeeds);
      tell('customer.subscription.updated', subscription);
    },
    settle(subscriptionId) {
      const subscription = subscriptionOf(subscriptionId);
      const owed = store('invoices').get(subscription.latest_invoice);
      Object.assign(owed, { status: 'paid', amount_paid: owed.amount_due, attempt_count: 2 });
      owed.status_transitions.paid_at = seconds();
      addCharge(owed, owed.payments.data[0].payment.payment_intent, true);
      subscription.status = 'active';
      const { payments: _, ...told } = owed;
      tell('invoice.paid', told);
      tell('customer.subscription.updated', subscription);
    },
    voidInvoice(invoiceId) {
      const called = store('invoices').get(invoiceId);
      Object.assign(called, { status: 'void' });
      called.status_transitions.voided_at = seconds();
      const { payments: _, ...told } = called;
      tell('invoice.voided', told);
      const subscription = subscriptionOf(called.parent.subscription_details.subscription);
      if (subscription.latest_invoice !== invoiceId) return;
      subscription.status = 'active';
      tell('customer.subscription.updated', subscription);
    },
    refund(invoiceId, amount) {
      giveBack(store('invoices').get(invoiceId).payments.data[0].payment.payment_intent, amount);
    },
    dispute(invoiceId, type, status) {
      const paid = store('invoices').get(invoiceId);
      const { payment_intent } = paid.payments.data[0].payment;
      const facts = { id: `du_${invoiceId}`, object: 'dispute', payment_intent, status };
      const amounts = { amount: paid.amount_paid, currency: paid.currency, created: seconds() };
      tell(`charge.dispute.${type}`, { ...facts, ...amounts, reason: 'fraudulent' });
    },
    giveUp(subscriptionId) {
      const subscription = subscriptionOf(subscriptionId);
      subscription.status = 'unpaid';
      tell('customer.subscription.updated', subscription);
    },
    end: (subscriptionId) => void finish(subscriptionId),
    expire(sessionId) {
      const session = store('checkout/sessions').get(sessionId);
      session.status = 'expired';
      tell('checkout.session.expired', session);
    },
    latestInvoice: (subscriptionId) => subscriptionOf(subscriptionId).latest_invoice,
  };
}
