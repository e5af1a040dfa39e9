import { type Static, type TSchema, Type } from 'typebox';
import { HTTP_URL } from '../../http/documented-formats.js';
import type { Plan } from '../../plan.js';
import { UsageStatsSchema } from '../accounts/public.js';
import { PLAN_ID_PATTERN, PlanSchema } from '../plans/public.js';
import type { Checkout } from './checkout-repository.js';
import { priceOf } from './checkout-service.js';
import { SubscriptionSchema } from './subscription-record.js';
import { SUBSCRIPTION_STATUSES } from './subscription-states.js';
import { TransactionSchema } from './transaction-record.js';

const timestamp = Type.String({ format: 'date-time' });
const timestampOrNull = Type.Union([timestamp, Type.Null()]);
const success = Type.Boolean();
const message = Type.String({ description: 'For people; also what is over the limits of the plan.' });

export const CancelSchema = Type.Object(
  {
    immediately: Type.Optional(
      Type.Boolean({ description: 'End it now, which cannot be undone. Default: with the period.' }),
    ),
    reason: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 1000,
        accepts: 'a string of at most 1000 characters, or null',
        description: 'Feedback. `null`: none.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ immediately: false, reason: 'We moved to one domain.' }] },
);

export const PortalRequestSchema = Type.Object(
  {
    returnUrl: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 2048,
        documented: HTTP_URL,
        accepts: 'a string of at most 2048 characters, or null',
        description:
          'Where the portal leads back to: an absolute http or https URL. Default, and `null`: the dashboard.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{}] },
);

const returnUrl = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 2048,
      documented: HTTP_URL,
      accepts: 'a URL of at most 2048 characters, or null',
      description: `${description} Only origins of \`DASHBOARD_URL\` and \`CORS_ORIGINS\` are accepted, others are 400 \`INVALID_REQUEST\`. \`{CHECKOUT_ID}\` becomes the id of the checkout.`,
    }),
  );

export const CheckoutRequestSchema = Type.Object(
  // Any value is taken here: what is no id of a plan has an error of its own.
  {
    planId: Type.Unknown({
      documented: { type: 'string', pattern: PLAN_ID_PATTERN },
      description:
        'The id of a plan, as `GET /user/plans` lists them. 400 `INVALID_PLAN_ID` for what is no text of 1 to 63 letters, digits, `_` and `-`; 404 `PLAN_NOT_FOUND` for a plan there is not.',
    }),
    successUrl: returnUrl(
      'Where the user is sent once it is paid. Default, and `null`: `DASHBOARD_URL?checkout_id=…`.',
    ),
    cancelUrl: returnUrl('Where the user is sent who gives it up. Default, and `null`: `DASHBOARD_URL`.'),
  },
  { additionalProperties: false, examples: [{ planId: 'pro' }] },
);

export const HistoryQuerySchema = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
});

export const CheckoutIdSchema = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

const answer = <Data extends TSchema>(data: Data) => Type.Object({ success, message, data });

export const SubscriptionAnswerSchema = Type.Object({
  success,
  message,
  data: Type.Object({
    subscription: Type.Union([SubscriptionSchema, Type.Null()], {
      description: '`null` without a subscription that gives access.',
    }),
  }),
});

export const SubscriptionChangedSchema = answer(Type.Object({ subscription: SubscriptionSchema }));

export const PortalAnswerSchema = answer(Type.Object({ portalUrl: Type.String(), expiresAt: timestamp }));

export const CheckoutOpenedSchema = answer(
  Type.Object({ checkoutUrl: Type.String(), checkoutId: Type.String(), expiresAt: timestamp }),
);

const CheckoutSchema = Type.Object(
  {
    id: Type.String(),
    checkoutId: Type.String({ description: 'The same as `id`.' }),
    checkoutUrl: Type.String(),
    status: Type.Enum(['open', 'complete', 'expired']),
    planId: Type.String(),
    subscriptionId: Type.Union([Type.String(), Type.Null()], { description: '`null` until it is complete.' }),
    expiresAt: timestamp,
    createdAt: timestamp,
    completedAt: timestampOrNull,
    amount: Type.Integer({
      description:
        'Due when it is paid, before discount and tax, in the smallest unit of the currency; 0 where a trial begins. Changes of plan show the price of the plan, of which Stripe deducts what was paid already.',
    }),
    discountAmount: Type.Integer(),
    taxAmount: Type.Integer(),
    totalAmount: Type.Integer({ description: '`amount` less `discountAmount`, plus `taxAmount`.' }),
    currency: Type.String({ description: 'ISO 4217, in lower case.' }),
    customerName: Type.Union([Type.String(), Type.Null()], {
      description: 'As given on the payment page. `null` until then, and in the sandbox.',
    }),
    customerEmail: Type.Union([Type.String(), Type.Null()]),
    product: Type.Object({ name: Type.String(), recurringInterval: Type.Enum(['month', 'year']) }),
  },
  { title: 'Checkout' },
);

export const CheckoutAnswerSchema = answer(CheckoutSchema);

export const HistoryAnswerSchema = answer(
  Type.Object({
    transactions: Type.Array(TransactionSchema, { description: 'Newest first.' }),
    pagination: Type.Object({
      page: Type.Integer(),
      limit: Type.Integer(),
      total: Type.Integer(),
      totalPages: Type.Integer(),
    }),
  }),
);

export const BillingAnswerSchema = Type.Object({
  success,
  message,
  data: Type.Object({
    currentPlan: PlanSchema,
    subscription: Type.Union([
      Type.Object({
        id: Type.String(),
        status: Type.Enum([...SUBSCRIPTION_STATUSES]),
        currentPeriodEnd: timestamp,
        cancelAtPeriodEnd: Type.Boolean(),
        isTrialing: Type.Boolean(),
        trialEnd: timestampOrNull,
      }),
      Type.Null(),
    ]),
    recentTransactions: Type.Array(TransactionSchema, { description: 'The newest five.' }),
    usageStats: UsageStatsSchema,
  }),
});

export function checkoutRecord(checkout: Checkout, plan: Plan): Static<typeof CheckoutSchema> {
  return {
    id: checkout.id,
    checkoutId: checkout.id,
    checkoutUrl: checkout.url,
    status: checkout.status,
    planId: checkout.planId,
    subscriptionId: checkout.subscriptionId,
    expiresAt: checkout.expiresAt.toISOString(),
    createdAt: checkout.createdAt.toISOString(),
    completedAt: checkout.completedAt?.toISOString() ?? null,
    ...(checkout.price ?? priceOf(plan, checkout.trialDays)),
    customerName: checkout.customerName,
    customerEmail: checkout.customerEmail,
    product: { name: plan.name, recurringInterval: plan.pricing.interval },
  };
}
