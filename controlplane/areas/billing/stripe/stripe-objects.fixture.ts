import type Stripe from 'stripe';

/** Objects as Stripe's API returns them in our version, with the members that are read here. */
type Shape<T> = { -readonly [Key in keyof T]?: unknown };

const DAY = 24 * 3600;
/** 2026-03-01T00:00:00Z. */
export const START = 1_772_323_200;

export function priceObject(overrides: Shape<Stripe.Price> = {}): Stripe.Price {
  return as<Stripe.Price>({
    id: 'price_pro',
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: START,
    currency: 'usd',
    livemode: false,
    lookup_key: 'waymark_pro',
    metadata: { waymark_plan: 'pro' },
    product: 'waymark_pro',
    recurring: { interval: 'month', interval_count: 1, meter: null, usage_type: 'licensed' },
    type: 'recurring',
    unit_amount: 2900,
    ...overrides,
  });
}

export function subscriptionObject(
  overrides: Shape<Stripe.Subscription> = {},
  item: { start?: number; end?: number; price?: Stripe.Price } = {},
): Stripe.Subscription {
  const { start = START, end = START + 31 * DAY, price = priceObject() } = item;
  return as<Stripe.Subscription>({
    id: 'sub_1',
    object: 'subscription',
    billing_mode: { type: 'flexible' },
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    created: START,
    currency: 'usd',
    customer: 'cus_1',
    ended_at: null,
    items: {
      object: 'list',
      data: [
        {
          id: 'si_1',
          object: 'subscription_item',
          current_period_start: start,
          current_period_end: end,
          price,
          quantity: 1,
        },
      ],
      has_more: false,
    },
    latest_invoice: 'in_1',
    livemode: false,
    metadata: { waymark_user: 'user-1', waymark_plan: 'pro' },
    start_date: START,
    status: 'active',
    trial_end: null,
    trial_start: null,
    ...overrides,
  });
}

export function invoiceObject(overrides: Shape<Stripe.Invoice> = {}): Stripe.Invoice {
  return as<Stripe.Invoice>({
    id: 'in_1',
    object: 'invoice',
    amount_due: 2900,
    amount_paid: 2900,
    attempt_count: 1,
    attempted: true,
    billing_reason: 'subscription_create',
    created: START,
    currency: 'usd',
    customer: 'cus_1',
    hosted_invoice_url: 'https://invoice.stripe.example/in_1',
    lines: {
      object: 'list',
      data: [
        {
          id: 'il_1',
          object: 'line_item',
          amount: 2900,
          pricing: { type: 'price_details', price_details: { price: 'price_pro', product: 'waymark_pro' } },
        },
      ],
      has_more: false,
    },
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: {
        metadata: { waymark_user: 'user-1', waymark_plan: 'pro' },
        subscription: 'sub_1',
      },
    },
    status: 'paid',
    status_transitions: {
      finalized_at: START,
      marked_uncollectible_at: null,
      paid_at: START + 2,
      voided_at: null,
    },
    total: 2900,
    total_taxes: [],
    ...overrides,
  });
}

export function chargeObject(overrides: Shape<Stripe.Charge> = {}): Stripe.Charge {
  return as<Stripe.Charge>({
    id: 'ch_1',
    object: 'charge',
    amount: 2900,
    amount_refunded: 0,
    created: START + 1,
    currency: 'usd',
    customer: 'cus_1',
    livemode: false,
    paid: true,
    payment_intent: 'pi_1',
    receipt_url: 'https://pay.stripe.example/receipts/ch_1',
    refunded: false,
    status: 'succeeded',
    ...overrides,
  });
}

/** Stripe's objects have a hundred members that are not read here. */
function as<T>(object: object): T {
  return structuredClone(object) as T;
}
