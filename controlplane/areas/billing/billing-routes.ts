import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema, NumberedPageQuerySchema, recordOf } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';
import { type PlanCatalogue, PlansSchema, planRecord, withOverLimits } from '../plans/public.js';
import type { BillingParts } from './billing-parts.js';
import {
  BillingAnswerSchema,
  CancelSchema,
  CheckoutAnswerSchema,
  CheckoutOpenedSchema,
  CheckoutRequestSchema,
  checkoutRecord,
  HistoryAnswerSchema,
  PortalAnswerSchema,
  PortalRequestSchema,
  SubscriptionAnswerSchema,
  SubscriptionChangedSchema,
  SubscriptionSummarySchema,
} from './billing-schema.js';
import type { BillingSummary } from './billing-summary.js';
import type { CheckoutService } from './checkout-service.js';
import type { PortalService } from './portal-service.js';
import { isTrialing, type Subscription } from './subscription.js';
import { statusOf, subscriptionRecord } from './subscription-record.js';
import type { SubscriptionService } from './subscription-service.js';
import { transactionRecord } from './transaction-record.js';
import { type Transaction, transactionRepository } from './transaction-repository.js';

interface BillingRoutesDeps extends Pick<BillingParts, 'database' | 'catalogue' | 'nowMs'> {
  readonly subscriptions: SubscriptionService;
  readonly portals: PortalService;
  readonly summary: BillingSummary;
}

/** Routes of subscriptions, payments, the portal and cancellation. */
export function createBillingRoutes(deps: BillingRoutesDeps): FastifyPluginAsyncTypebox {
  const { database, catalogue, subscriptions, portals, summary, nowMs } = deps;
  const record = (subscription: Subscription) =>
    subscriptionRecord(subscription, catalogue.get(subscription.planId), nowMs());
  const charge = (transaction: Transaction) =>
    transactionRecord(transaction, catalogue.get(transaction.planId));

  return async (app) => {
    useTag(app, 'billing');
    app.get(
      '/payment/subscription',
      {
        config: { scope: 'billing:read' },
        schema: {
          operationId: 'getSubscription',
          summary: 'Your subscription',
          response: { 200: SubscriptionAnswerSchema },
        },
      },
      async (request) => {
        const { id, plan } = request.user;
        const subscription = await subscriptions.active(id);
        const shown = subscription === undefined ? null : record(subscription);
        const message = await withOverLimits(database, id, plan, shown?.message ?? withoutSubscription(plan));
        return {
          success: true,
          message,
          data: { subscription: shown === null ? null : { ...shown, message } },
        };
      },
    );

    app.post(
      '/payment/subscription/cancel',
      {
        config: { scope: 'billing:write', optionalBody: true },
        schema: {
          operationId: 'cancelSubscription',
          summary: 'Cancel your subscription',
          description: 'Cancels at the end of the current period, or at once.',
          body: CancelSchema,
          response: { 200: SubscriptionChangedSchema },
        },
      },
      async (request) => {
        const { immediately = false } = request.body;
        const reason = request.body.reason ?? undefined;
        const { subscription, message } = await subscriptions.cancel(request.user, { immediately, reason });
        return { success: true, message, data: { subscription: record(subscription) } };
      },
    );

    app.post(
      '/payment/subscription/reactivate',
      {
        config: { scope: 'billing:write' },
        schema: {
          operationId: 'reactivateSubscription',
          summary: 'Withdraw a cancellation',
          description: 'Withdraws a cancellation at the end of the period, before that end.',
          response: { 200: SubscriptionChangedSchema },
        },
      },
      async (request) => {
        const { subscription, message } = await subscriptions.reactivate(request.user);
        return { success: true, message, data: { subscription: record(subscription) } };
      },
    );

    app.post(
      '/payment/portal',
      {
        config: { scope: 'billing:write', optionalBody: true },
        schema: {
          operationId: 'createPortalSession',
          summary: 'Open the billing portal',
          body: PortalRequestSchema,
          response: { 200: PortalAnswerSchema },
        },
      },
      async (request) => {
        const { url, expiresAt } = await portals.open(request.user, request.body.returnUrl ?? undefined);
        return {
          success: true,
          message: 'Send the user to portalUrl before it expires.',
          data: { portalUrl: url, expiresAt: expiresAt.toISOString() },
        };
      },
    );

    app.get(
      '/payment/history',
      {
        config: { scope: 'billing:read' },
        schema: {
          operationId: 'listTransactions',
          summary: 'Your transactions, newest first',
          querystring: NumberedPageQuerySchema,
          response: { 200: HistoryAnswerSchema },
        },
      },
      async (request) => {
        const { page, limit } = request.query;
        const range = { limit, offset: (page - 1) * limit };
        const { transactions, total } = await transactionRepository.pageOfUser(
          database,
          request.user.id,
          range,
        );
        const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
        const message = total === 1 ? '1 transaction.' : `${total} transactions.`;
        return { success: true, message, data: { transactions: transactions.map(charge), pagination } };
      },
    );

    app.get(
      '/payment/billing',
      {
        config: { scope: 'billing:read' },
        schema: {
          operationId: 'getBillingSummary',
          summary: 'Plan, payments and usage',
          response: { 200: BillingAnswerSchema },
        },
      },
      async (request) => {
        const { id, plan } = request.user;
        const { subscription, recentTransactions, usageStats } = await summary.read(request.user);
        return {
          success: true,
          message: await withOverLimits(database, id, plan, `You are on the plan ${plan.name}.`),
          data: {
            currentPlan: planRecord(plan),
            subscription: subscription === undefined ? null : summaryRecord(subscription, nowMs()),
            recentTransactions: recentTransactions.map(charge),
            usageStats,
          },
        };
      },
    );
  };
}

function withoutSubscription({ name }: Plan): string {
  return `You have no subscription; the plan ${name} applies.`;
}

function summaryRecord(subscription: Subscription, nowMs: number) {
  return recordOf(SubscriptionSummarySchema, {
    ...subscription,
    status: statusOf(subscription),
    isTrialing: isTrialing(subscription, nowMs),
  });
}

const STATUS_MESSAGES = {
  open: 'The session waits for its payment.',
  complete: 'The session is paid.',
  expired: 'The session has expired; begin a new one.',
} as const;

/** Routes of plans and checkouts. */
export function createCheckoutRoutes(
  catalogue: PlanCatalogue,
  checkouts: CheckoutService,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'billing');
    app.get(
      '/user/plans',
      {
        config: { public: true },
        schema: { operationId: 'listPlans', summary: 'List the plans', response: { 200: PlansSchema } },
      },
      async () => ({
        plans: catalogue.plans.map(planRecord),
        message: 'POST /payment/checkout subscribes to a plan. Limits of -1 are none.',
      }),
    );

    app.post(
      '/payment/checkout',
      {
        config: { scope: 'billing:write' },
        schema: {
          operationId: 'createCheckout',
          summary: 'Begin to pay for a plan',
          description:
            'Creates a hosted payment page, which is open for 24 hours. Send the user to `checkoutUrl`. After the payment the page redirects to `successUrl`.',
          body: CheckoutRequestSchema,
          response: { 201: CheckoutOpenedSchema },
        },
      },
      async (request, reply) => {
        const checkout = await checkouts.open(request.user, request.body);
        return reply.code(201).send({
          success: true,
          message: 'Send the user to checkoutUrl before it expires.',
          data: {
            checkoutUrl: checkout.url,
            checkoutId: checkout.id,
            expiresAt: checkout.expiresAt.toISOString(),
          },
        });
      },
    );

    app.get(
      '/payment/checkout/:id',
      {
        config: { scope: 'billing:read' },
        schema: {
          operationId: 'getCheckout',
          summary: 'Get a checkout',
          description: 'A checkout is kept until 90 days after its end, or until its subscription ends.',
          params: IdParamSchema,
          response: { 200: CheckoutAnswerSchema },
        },
      },
      async (request) => {
        const checkout = await checkouts.get(request.user.id, request.params.id);
        const message = STATUS_MESSAGES[checkout.status];
        return { success: true, message, data: checkoutRecord(checkout, catalogue.get(checkout.planId)) };
      },
    );
  };
}
