import type { EdgeAnswer, EdgeRequest } from './stripe-edge.fixture.js';
import type { Loose, StripeLedger } from './stripe-ledger.fixture.js';
import { priceObject } from './stripe-objects.fixture.js';
import { tree } from './stripe-parameters.fixture.js';

export interface StripeRequests {
  /** Effects of the requests of Stripe's API. */
  answer(request: EdgeRequest): EdgeAnswer;
  /** Ends a subscription; `undefined`: it has ended already. */
  finish(subscriptionId: string): Loose;
  /** Refunds a payment, wholly or by `amount`; `undefined`: nothing is left to refund. */
  giveBack(paymentIntent: string, amount?: number): Loose;
}

export function createStripeRequests(ledger: StripeLedger): StripeRequests {
  const { store, add, nextId, tell, seconds } = ledger;

  function change(id: string, params: Loose): Loose {
    const subscription = store('subscriptions').get(id);
    if (subscription === undefined || subscription.status === 'canceled') return undefined;
    if (params.cancel_at_period_end !== undefined) {
      const cancels = params.cancel_at_period_end === 'true';
      subscription.cancel_at_period_end = cancels;
      subscription.canceled_at = cancels ? seconds() : null;
      subscription.cancel_at = cancels ? subscription.items.data[0].current_period_end : null;
    }
    if (params.cancel_at === '') Object.assign(subscription, { cancel_at: null, canceled_at: null });
    subscription.cancellation_details.comment = params.cancellation_details?.comment ?? null;
    tell('customer.subscription.updated', subscription);
    return subscription;
  }

  function finish(id: string): Loose {
    const subscription = store('subscriptions').get(id);
    if (subscription === undefined || subscription.status === 'canceled') return undefined;
    Object.assign(subscription, {
      status: 'canceled',
      ended_at: seconds(),
      canceled_at: subscription.canceled_at ?? seconds(),
    });
    tell('customer.subscription.deleted', subscription);
    return subscription;
  }

  function giveBack(intent: string, amount?: number): Loose {
    const charge = [...store('charges').values()].find((one) => one.payment_intent === intent && one.paid);
    if (charge.refunded) return undefined;
    const given = amount ?? charge.amount - charge.amount_refunded;
    charge.amount_refunded += given;
    charge.refunded = charge.amount_refunded === charge.amount;
    const refund = { id: nextId('re'), object: 'refund', amount: given, created: seconds() };
    charge.refunds.data.unshift(refund);
    const { refunds: _, ...told } = charge;
    tell('charge.refunded', told);
    return refund;
  }

  /** Closes a checkout session; `undefined`: it is not open. */
  function expire(id: string): Loose {
    const session = store('checkout/sessions').get(id);
    if (session?.status !== 'open') return undefined;
    session.status = 'expired';
    tell('checkout.session.expired', session);
    return session;
  }

  function list(name: string, params: Loose): EdgeAnswer {
    const ofCustomer = ({ customer }: Loose) => customer === params.customer;
    const isAsStated = ({ status }: Loose) => params.status === undefined || status === params.status;
    const of = {
      prices: ({ lookup_key }: Loose) => params.lookup_keys.includes(lookup_key),
      invoices: (one: Loose) =>
        one.parent.subscription_details.subscription === params.subscription && isAsStated(one),
      charges: ofCustomer,
      subscriptions: (one: Loose) => ofCustomer(one) && one.status !== 'canceled',
      'checkout/sessions': (one: Loose) => ofCustomer(one) && isAsStated(one),
    }[name];
    const all = [...store(name).values()].reverse();
    return { object: 'list', data: of === undefined ? all : all.filter(of), has_more: false, url: '' };
  }

  function invoicePayments({ payment }: Loose): EdgeAnswer {
    const paid = [...store('invoices').values()].find(({ payments }) =>
      payments.data.some((one: Loose) => one.payment.payment_intent === payment.payment_intent),
    );
    const data = paid === undefined ? [] : [{ id: 'inpay_x', object: 'invoice_payment', invoice: paid }];
    return { object: 'list', data, has_more: false, url: '' };
  }

  /** Returns the amounts of a session: null without line items, 0 where a trial begins. */
  function amountsOf({ line_items, subscription_data }: Loose): Loose {
    const [line] = line_items ?? [];
    if (line === undefined) return { amount_subtotal: null, amount_total: null, currency: null };
    const { unit_amount, currency } = line.price_data ?? store('prices').get(line.price);
    const amount = subscription_data.trial_period_days === undefined ? Number(unit_amount) : 0;
    const total_details = { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };
    return { amount_subtotal: amount, amount_total: amount, currency, total_details };
  }

  function create(name: string, params: Loose): EdgeAnswer {
    const base = { created: seconds(), active: true, status: 'enabled', metadata: {} };
    switch (name) {
      case 'customers':
        return add(name, { ...base, ...params, id: nextId('cus'), object: 'customer' });
      case 'products':
        return add(name, { ...base, ...params, object: 'product' });
      case 'prices': {
        for (const price of store(name).values()) {
          if (price.lookup_key === params.lookup_key) price.lookup_key = null;
        }
        const { unit_amount: amount, recurring, ...rest } = params;
        return add(name, priceObject({ ...rest, id: nextId('price'), unit_amount: Number(amount) }));
      }
      case 'checkout/sessions': {
        const id = nextId('cs');
        const url = `https://checkout.stripe.example/${id}`;
        const session = { ...base, ...params, id, url, status: 'open', subscription: null };
        return add(name, { ...session, ...amountsOf(params), customer_details: null });
      }
      case 'billing_portal/sessions': {
        const id = nextId('bps');
        return add(name, { ...base, ...params, id, url: `https://billing.stripe.example/${id}` });
      }
      case 'billing_portal/configurations':
        return add(name, { ...base, ...params, id: nextId('bpc') });
      case 'webhook_endpoints':
        return { ...add(name, { ...base, ...params, id: nextId('we') }), secret: 'whsec_shown_once' };
      default:
        return undefined;
    }
  }

  return {
    answer({ method, path, params: flat }) {
      const params: Loose = tree(flat);
      const [, name = '', id] = /^\/((?:checkout|billing_portal)\/\w+|\w+)(?:\/([\w-]+))?$/.exec(path) ?? [];
      const closed = /^\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1];
      if (closed !== undefined) return expire(closed);
      if (name === 'invoice_payments') return invoicePayments(params);
      if (name === 'refunds') return giveBack(params.payment_intent);
      if (id === undefined) return method === 'POST' ? create(name, params) : list(name, params);
      if (name === 'subscriptions' && method === 'POST') return change(id, params);
      if (name === 'subscriptions' && method === 'DELETE') return finish(id);
      const object = store(name).get(id);
      if (object !== undefined && method === 'POST') Object.assign(object, params);
      const product = params.expand?.includes('product') && store('products').get(object?.product);
      return product ? { ...object, product } : object;
    },
    finish,
    giveBack,
  };
}
