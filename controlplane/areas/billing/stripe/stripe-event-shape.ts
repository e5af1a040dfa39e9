import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type Stripe from 'stripe';
import { type TSchema, Type } from 'typebox';
import { METADATA } from './stripe-names.js';

/** Last second of the year 9999, the last date that is accepted. */
const MAX_SECONDS = 253_402_300_799;

// PostgreSQL stores every character except this one.
const Text = Type.String({ pattern: '^[^\\u0000]*$' });
const Id = Type.String({ pattern: '^[!-~]+$', maxLength: 255 });
const Seconds = Type.Integer({ minimum: 0, maximum: MAX_SECONDS });
/** Maximum amount in the smallest unit of a currency. Sums over an invoice's items stay exact. */
const MAX_AMOUNT = 1e13;
const MAX_TAXES = 100;
const Amount = Type.Integer({ minimum: -MAX_AMOUNT, maximum: MAX_AMOUNT });
const Reference = Type.Union([Id, Type.Object({ id: Id })]);
const optional = (schema: TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));
const listOf = (schema: TSchema) => Type.Object({ data: Type.Array(schema) });

const Metadata = Type.Object({
  [METADATA.user]: Type.Optional(Text),
  [METADATA.plan]: Type.Optional(Text),
});

const Subscription = Type.Object({
  id: Id,
  status: Text,
  metadata: Metadata,
  items: listOf(
    Type.Object({
      current_period_start: Seconds,
      current_period_end: Seconds,
      price: Type.Object({ id: Id, metadata: optional(Metadata), lookup_key: optional(Text) }),
    }),
  ),
  cancel_at_period_end: optional(Type.Boolean()),
  cancel_at: optional(Seconds),
  canceled_at: optional(Seconds),
  ended_at: optional(Seconds),
  trial_start: optional(Seconds),
  trial_end: optional(Seconds),
});

const Invoice = Type.Object({
  id: Id,
  status: optional(Text),
  amount_due: Amount,
  amount_paid: Amount,
  currency: Text,
  created: Seconds,
  attempt_count: optional(Type.Integer()),
  billing_reason: optional(Text),
  hosted_invoice_url: optional(Text),
  lines: optional(
    listOf(
      Type.Object({
        amount: Amount,
        pricing: optional(
          Type.Object({ price_details: optional(Type.Object({ price: optional(Reference) })) }),
        ),
      }),
    ),
  ),
  parent: optional(
    Type.Object({
      subscription_details: optional(Type.Object({ metadata: optional(Metadata), subscription: Reference })),
    }),
  ),
  status_transitions: optional(Type.Object({ paid_at: optional(Seconds) })),
  total_taxes: optional(Type.Array(Type.Object({ amount: Amount }), { maxItems: MAX_TAXES })),
});

const Charge = Type.Object({
  amount_refunded: Amount,
  created: Seconds,
  payment_intent: optional(Reference),
  receipt_url: optional(Text),
  refunds: optional(listOf(Type.Object({ created: Seconds }))),
});

const Dispute = Type.Object({
  id: Id,
  status: Text,
  reason: Text,
  amount: Amount,
  currency: Text,
  created: Seconds,
  payment_intent: optional(Reference),
});

const Session = Type.Object({ id: Id, status: optional(Text), subscription: optional(Reference) });

const ajv = new Ajv({ strict: false });

const isEnvelope = ajv.compile(
  Type.Object({ id: Id, type: Id, data: Type.Object({ object: Type.Object({}) }) }),
);

const readable = (object: TSchema): ValidateFunction =>
  ajv.compile(Type.Object({ created: Seconds, data: Type.Object({ object }) }));

const isSession = readable(Session);
const isSubscription = readable(Subscription);
const isInvoice = readable(Invoice);
const isDispute = readable(Dispute);

/** Shapes of the events that the webhook needs. */
const SHAPES = {
  'checkout.session.completed': isSession,
  'checkout.session.expired': isSession,
  'customer.subscription.created': isSubscription,
  'customer.subscription.updated': isSubscription,
  'customer.subscription.deleted': isSubscription,
  'customer.subscription.paused': isSubscription,
  'customer.subscription.resumed': isSubscription,
  'invoice.finalized': isInvoice,
  'invoice.paid': isInvoice,
  'invoice.payment_failed': isInvoice,
  'invoice.voided': isInvoice,
  'invoice.marked_uncollectible': isInvoice,
  'charge.refunded': readable(Charge),
  'charge.dispute.created': isDispute,
  'charge.dispute.updated': isDispute,
  'charge.dispute.closed': isDispute,
  'charge.dispute.funds_withdrawn': isDispute,
  'charge.dispute.funds_reinstated': isDispute,
} satisfies Partial<Record<Stripe.WebhookEndpointCreateParams.EnabledEvent, ValidateFunction>>;

/** Events that the webhook needs, and no others. */
export const WEBHOOK_EVENTS = Object.keys(SHAPES) as (keyof typeof SHAPES)[];

const shapes = new Map<string, ValidateFunction>(Object.entries(SHAPES));

/**
 * Returns why a message is not an event.
 *
 * @returns the dotted path of the member that is missing or wrong, empty for the whole; `undefined`: it is an event
 */
export function envelopeFault(sent: unknown): string | undefined {
  return isEnvelope(sent) ? undefined : placeOf(isEnvelope.errors);
}

/**
 * Returns why an event cannot be read. Stripe sends the shape of the version that an endpoint was created for.
 * Optional members that are missing count as null.
 *
 * @returns the dotted path of the member that is missing or wrong; `undefined`: it can be read
 */
export function unreadableMember(event: Stripe.Event): string | undefined {
  const isReadable = shapes.get(event.type);
  return isReadable === undefined || isReadable(event) ? undefined : placeOf(isReadable.errors);
}

function placeOf(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  const missing: unknown = first?.params.missingProperty;
  const path = (first?.instancePath ?? '').split('/').slice(1);
  return [...path, ...(typeof missing === 'string' ? [missing] : [])].join('.');
}
