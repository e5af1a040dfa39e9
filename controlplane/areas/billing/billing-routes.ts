import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { useTag } from '../../http/openapi-tags.js';
import { NumberedPageQuerySchema, recordOf } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';
import { usageRecord } from '../accounts/public.js';
import { planRecord, withOverLimits } from '../plans/public.js';
import type { BillingParts } from './billing-parts.js';
import {
  BillingAnswerSchema,
  CancelSchema,
  HistoryAnswerSchema,
  PortalAnswerSchema,
  PortalRequestSchema,
  SubscriptionAnswerSchema,
  SubscriptionChangedSchema,
  SubscriptionSummarySchema,
} from './billing-schema.js';
import type { BillingSummary } from './billing-summary.js';
import type { PortalService } from './portal-service.js';
import { isTrialing, type Subscription } from './subscription.js';
import { statusOf, subscriptionRecord } from './subscription-record.js';
import type { SubscriptionService } from './subscription-service.js';
import { transactionRecord } from './transaction-record.js';
import { type Transaction, transactionRepository } from './transaction-repository.js';

export interface BillingRoutesDeps extends Pick<BillingParts, 'database' | 'catalogue' | 'nowMs'> {
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
            usageStats: usageRecord(usageStats),
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
