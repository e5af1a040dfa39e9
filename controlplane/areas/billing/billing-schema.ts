import { type Static, type TSchema, Type } from 'typebox';
import { HTTP_URL } from '../../http/documented-formats.js';
import { bodyOf, nullable, PaginationSchema, recordOf, time } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';
import { UsageStatsSchema } from '../accounts/public.js';
import { PLAN_ID_PATTERN, PlanSchema } from '../plans/public.js';
import { SUBSCRIPTION_STATUSES } from './billing-states.js';
import type { Checkout } from './checkout-repository.js';
import { priceOf } from './checkout-service.js';
import { SubscriptionSchema } from './subscription-record.js';
import { TransactionSchema } from './transaction-record.js';

const success = Type.Boolean();
const message = Type.String({ description: 'Text for people. It names usage above the limits of the plan.' });

export const CancelSchema = bodyOf(
  {
    immediately: Type.Optional(
      Type.Boolean({
        description:
          'Whether to end the subscription at once, which cannot be undone. Default: false, at the end of the period.',
      }),
    ),
    reason: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 1000,
        accepts: 'a string of at most 1000 characters, or null',
        description: 'Feedback, or `null`.',
      }),
    ),
  },
  { immediately: false, reason: 'We moved to one domain.' },
);

export const PortalRequestSchema = bodyOf(
  {
    returnUrl: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 2048,
        documented: HTTP_URL,
        accepts: 'a string of at most 2048 characters, or null',
        description:
          'Absolute http or https URL that the portal links back to. Default, and with `null`: the dashboard.',
      }),
    ),
  },
  {},
);

const returnUrl = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 2048,
      documented: HTTP_URL,
      accepts: 'a URL of at most 2048 characters, or null',
      description: `${description} Accepts only origins of \`DASHBOARD_URL\` and \`CORS_ORIGINS\`. \`{CHECKOUT_ID}\` is replaced by the id of the checkout.`,
    }),
  );

export const CheckoutRequestSchema = bodyOf(
  // Any value is accepted here: an invalid plan id has a separate error code.
  {
    planId: Type.Unknown({
      documented: { type: 'string', pattern: PLAN_ID_PATTERN },
      description:
        'Id of a plan from `GET /user/plans`. A malformed id gets 400 `INVALID_PLAN_ID`, an unknown one 404 `PLAN_NOT_FOUND`.',
    }),
    successUrl: returnUrl('URL after the payment. Default, and with `null`: `DASHBOARD_URL?checkout_id=…`.'),
    cancelUrl: returnUrl('URL after a cancellation. Default, and with `null`: `DASHBOARD_URL`.'),
  },
  { planId: 'pro' },
);

const answer = <Data extends TSchema>(data: Data) => Type.Object({ success, message, data });

export const SubscriptionAnswerSchema = answer(
  Type.Object({
    subscription: nullable(SubscriptionSchema, 'Null without a subscription that gives access.'),
  }),
);

export const SubscriptionChangedSchema = answer(Type.Object({ subscription: SubscriptionSchema }));

export const PortalAnswerSchema = answer(Type.Object({ portalUrl: Type.String(), expiresAt: time }));

export const CheckoutOpenedSchema = answer(
  Type.Object({ checkoutUrl: Type.String(), checkoutId: Type.String(), expiresAt: time }),
);

const CheckoutSchema = Type.Object(
  {
    id: Type.String(),
    checkoutId: Type.String({ description: 'Same as `id`.' }),
    checkoutUrl: Type.String(),
    status: Type.Enum(['open', 'complete', 'expired']),
    planId: Type.String(),
    subscriptionId: nullable(Type.String(), 'Null until the checkout is complete.'),
    expiresAt: time,
    createdAt: time,
    completedAt: nullable(time),
    amount: Type.Integer({
      description:
        'Amount due at payment, before discount and tax, in the smallest currency unit. 0 if a trial begins. For a plan change it is the price of the plan; Stripe deducts what was already paid.',
    }),
    discountAmount: Type.Integer(),
    taxAmount: Type.Integer(),
    totalAmount: Type.Integer({ description: '`amount` minus `discountAmount` plus `taxAmount`.' }),
    currency: Type.String({ description: 'ISO 4217 code in lower case.' }),
    customerName: nullable(
      Type.String(),
      'Name from the payment page. Null until the payment, and in the sandbox.',
    ),
    customerEmail: nullable(Type.String()),
    product: Type.Object({ name: Type.String(), recurringInterval: Type.Enum(['month', 'year']) }),
  },
  { title: 'Checkout' },
);

export const CheckoutAnswerSchema = answer(CheckoutSchema);

export const HistoryAnswerSchema = answer(
  Type.Object({
    transactions: Type.Array(TransactionSchema, { description: 'Newest first.' }),
    pagination: PaginationSchema,
  }),
);

/** A subscription in the billing summary. */
export const SubscriptionSummarySchema = Type.Object({
  id: Type.String(),
  status: Type.Enum([...SUBSCRIPTION_STATUSES]),
  currentPeriodEnd: time,
  cancelAtPeriodEnd: Type.Boolean(),
  isTrialing: Type.Boolean(),
  trialEnd: nullable(time),
});

export const BillingAnswerSchema = answer(
  Type.Object({
    currentPlan: PlanSchema,
    subscription: nullable(SubscriptionSummarySchema),
    recentTransactions: Type.Array(TransactionSchema, { description: 'The five newest transactions.' }),
    usageStats: UsageStatsSchema,
  }),
);

export function checkoutRecord(checkout: Checkout, plan: Plan): Static<typeof CheckoutSchema> {
  return recordOf(CheckoutSchema, {
    ...checkout,
    ...(checkout.price ?? priceOf(plan, checkout.trialDays)),
    checkoutId: checkout.id,
    checkoutUrl: checkout.url,
    product: { name: plan.name, recurringInterval: plan.pricing.interval },
  });
}
