import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../../errors/app-error.js';
import { useErrorPages } from '../../../http/pages/error-pages.js';
import { takeForms } from '../../../http/pages/forms.js';
import { sendPage } from '../../../http/pages/page.js';
import { overLimitsSentence } from '../../plans/public.js';
import type { BillingParts } from '../billing-parts.js';
import { atTime, type Checkout, checkoutRepository } from '../checkout-repository.js';
import { withCheckoutId } from '../checkout-return.js';
import { subscriptionRepository } from '../subscription-repository.js';
import { transactionRepository } from '../transaction-repository.js';
import type { SandboxActions } from './sandbox-actions.js';
import { SANDBOX } from './sandbox-events.js';
import { checkoutPage, EXPIRED_PORTAL, portalPage, receiptPage } from './sandbox-pages.js';
import { type SandboxPortal, sandboxPortalRepository } from './sandbox-portal-repository.js';

export interface SandboxRoutesDeps
  extends Pick<BillingParts, 'database' | 'catalogue' | 'events' | 'dashboardUrl' | 'nowMs'> {
  readonly actions: SandboxActions;
}

const SHOWN_TRANSACTIONS = 20;
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
const config = { public: true };

const OutcomeSchema = Type.Object(
  { outcome: Type.Enum(['succeed', 'decline']) },
  { additionalProperties: false },
);
const ActionSchema = Type.Object(
  { action: Type.Enum(['renew', 'fail_payment', 'refund', 'cancel']) },
  { additionalProperties: false },
);
const CheckoutQuerySchema = Type.Object({ declined: Type.Optional(Type.String()) });
const PortalQuerySchema = Type.Object({ done: Type.Optional(Type.String()) });

/** Hosted pages of the sandbox: checkout, portal and receipts. Anyone who has the address of a page can use it. */
export function createSandboxRoutes(deps: SandboxRoutesDeps): FastifyPluginAsyncTypebox {
  const { database, catalogue, events, actions, dashboardUrl, nowMs } = deps;

  async function requireCheckout(id: string): Promise<Checkout> {
    const checkout = await checkoutRepository.findById(database, id);
    if (checkout?.provider !== SANDBOX) throw noPage();
    return atTime(checkout, nowMs());
  }

  async function requirePortal(id: string): Promise<SandboxPortal> {
    const portal = await sandboxPortalRepository.findById(database, id);
    if (portal === undefined) throw noPage();
    return portal;
  }

  const isExpired = ({ expiresAt }: SandboxPortal) => expiresAt.getTime() <= nowMs();

  return async (app) => {
    takeForms(app);
    useErrorPages(app, { isSandbox: true, dashboardUrl });

    app.get(
      '/sandbox/checkout/:id',
      { config, schema: { hide: true, params, querystring: CheckoutQuerySchema } },
      async (request, reply) => {
        const checkout = await requireCheckout(request.params.id);
        const plan = catalogue.get(checkout.planId);
        const overLimits = await overLimitsSentence(database, checkout.userId, plan);
        const isDeclined = request.query.declined !== undefined;
        const page = checkoutPage({ checkout, plan, isDeclined, overLimits, dashboardUrl });
        return sendPage(reply, page, checkout.successUrl ?? dashboardUrl);
      },
    );

    app.post(
      '/sandbox/checkout/:id',
      { config, schema: { hide: true, params, body: OutcomeSchema } },
      async (request, reply) => {
        const { id, userId } = await requireCheckout(request.params.id);
        await events.applyDecision(userId, (tx) => actions.pay(tx, id, request.body.outcome));
        const { status, successUrl } = await requireCheckout(id);
        if (status === 'complete') return reply.redirect(successUrl ?? afterCheckout(dashboardUrl, id), 303);
        return reply.redirect(status === 'open' ? `${id}?declined` : id, 303);
      },
    );

    app.get(
      '/sandbox/portal/:id',
      { config, schema: { hide: true, params, querystring: PortalQuerySchema } },
      async (request, reply) => {
        const portal = await requirePortal(request.params.id);
        if (isExpired(portal)) return sendPage(reply.code(410), EXPIRED_PORTAL);
        const { userId, returnUrl } = portal;
        const subscription = (await subscriptionRepository.currentOf(database, SANDBOX, [userId])).get(
          userId,
        );
        const range = { limit: SHOWN_TRANSACTIONS, offset: 0 };
        const { transactions } = await transactionRepository.pageOfUser(database, userId, range);
        const plan = subscription === undefined ? catalogue.defaultPlan : catalogue.get(subscription.planId);
        const page = portalPage({
          subscription,
          plan,
          transactions,
          done: request.query.done,
          returnUrl: returnUrl ?? undefined,
          now: new Date(nowMs()),
        });
        return sendPage(reply, page);
      },
    );

    app.post(
      '/sandbox/portal/:id',
      { config, schema: { hide: true, params, body: ActionSchema } },
      async (request, reply) => {
        const portal = await requirePortal(request.params.id);
        if (isExpired(portal)) return sendPage(reply.code(410), EXPIRED_PORTAL);
        const led = await events.applyDecision(portal.userId, (tx) =>
          actions.act(tx, portal.userId, request.body.action),
        );
        const done = led.length === 0 ? 'nothing' : request.body.action;
        return reply.redirect(`${portal.id}?done=${done}`, 303);
      },
    );

    app.get('/sandbox/receipts/:id', { config, schema: { hide: true, params } }, async (request, reply) => {
      const transaction = await transactionRepository.find(database, SANDBOX, request.params.id);
      if (transaction === undefined) throw noPage();
      return sendPage(reply, receiptPage(transaction, catalogue.get(transaction.planId)));
    });
  };
}

/** Default return URL: the dashboard; without one, the sandbox's page, which shows the result. */
function afterCheckout(dashboardUrl: string | undefined, checkoutId: string): string {
  return dashboardUrl === undefined ? checkoutId : withCheckoutId(dashboardUrl, checkoutId);
}

function noPage(): AppError {
  return new AppError('NOT_FOUND', { message: 'There is no such page, or no longer.' });
}
