import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../../errors/app-error.js';
import { useErrorPages } from '../../../http/pages/error-pages.js';
import type { Plan } from '../../../plan.js';
import { checkoutVerdict } from '../checkout-decisions.js';
import { atTime, checkoutRepository } from '../checkout-repository.js';
import type { BillingEvent, NewCheckout, OpenedCheckout } from '../provider.js';
import { subscriptionRepository } from '../subscription-repository.js';
import { openPagesRepository } from './open-pages-repository.js';
import type { StripeAddresses } from './stripe-addresses.js';
import { answerId } from './stripe-answers.js';
import { answerOf, type StripeParts } from './stripe-client.js';
import { CHANGE_PREFIX, idOf, STRIPE } from './stripe-names.js';
import type { StripePortal } from './stripe-portal.js';
import type { StripePrices } from './stripe-prices.js';

interface StripeChangesDeps extends Pick<StripeParts, 'stripe' | 'database' | 'catalogue' | 'nowMs'> {
  readonly prices: StripePrices;
  readonly portal: StripePortal;
  readonly addresses: StripeAddresses;
}

/**
 * Changes plans on pages of Stripe's portal. Such a page expires within minutes. Users therefore get a URL of this API.
 * While the checkout lasts, each visit opens a new page.
 */
export type StripeChanges = ReturnType<typeof createStripeChanges>;

export function createStripeChanges(deps: StripeChangesDeps) {
  const { stripe, database, prices, portal, catalogue, addresses, nowMs } = deps;

  /**
   * Creates a page that shows the cost of the change. Stripe credits the amount already paid for the rest of the
   * period.
   */
  async function createPage(
    subscriptionId: string,
    plan: Plan,
    { after, back }: { readonly after: string; readonly back: string },
  ): Promise<string> {
    const price = await prices.priceOf(plan);
    const { items, customer } = await answerOf(stripe.subscriptions.retrieve(subscriptionId));
    const [item] = items.data;
    if (item === undefined) throw new Error(`subscription ${subscriptionId} is for nothing`);
    const { url } = await answerOf(
      stripe.billingPortal.sessions.create({
        ...(await portal.configuration()),
        customer: idOf(customer),
        return_url: back,
        flow_data: {
          type: 'subscription_update_confirm',
          subscription_update_confirm: {
            subscription: subscriptionId,
            items: [{ id: item.id, price, quantity: 1 }],
          },
          after_completion: { type: 'redirect', redirect: { return_url: after } },
        },
      }),
    );
    return url;
  }

  /** Closes all pages but the one that was opened last. */
  async function closeEarlier(userId: string): Promise<BillingEvent[]> {
    const pages = await openPagesRepository.findPlanChanges(database, userId);
    return pages.map((providerCheckoutId) => ({
      id: answerId(providerCheckoutId),
      provider: STRIPE,
      occurredAt: new Date(nowMs()),
      about: 'checkout',
      checkout: { providerCheckoutId, status: 'expired', subscriptionId: null },
    }));
  }

  return {
    /** @throws {AppError} SERVICE_UNAVAILABLE when the plan has no price at Stripe */
    async open({ checkoutId, userId, plan }: NewCheckout): Promise<OpenedCheckout> {
      // Refuse a plan without a price now, not on the page.
      await prices.priceOf(plan);
      const page = {
        providerCheckoutId: `${CHANGE_PREFIX}${checkoutId}`,
        url: addresses.change(checkoutId),
      };
      return { page, events: await closeEarlier(userId) };
    },

    /**
     * Returns the redirect target of our address: a new portal page, or the return URL if there is nothing left to
     * change. `undefined` if there is no such checkout.
     *
     * @throws {AppError} SERVICE_UNAVAILABLE
     */
    async follow(checkoutId: string): Promise<string | undefined> {
      const checkout = await checkoutRepository.findById(database, checkoutId);
      if (checkout?.provider !== STRIPE || !checkout.providerCheckoutId.startsWith(CHANGE_PREFIX)) {
        return undefined;
      }
      const { userId, planId } = checkout;
      const after = checkout.successUrl ?? addresses.afterCheckout(checkoutId);
      const plan = catalogue.get(planId);
      const current = (await subscriptionRepository.currentOf(database, STRIPE, [userId])).get(userId);
      const isOpen = atTime(checkout, nowMs()).status === 'open';
      if (!isOpen || current === undefined || checkoutVerdict(current, plan, nowMs()) !== 'change')
        return after;
      return createPage(current.id, plan, { after, back: checkout.cancelUrl ?? addresses.back() });
    },
  };
}

const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

/** Redirects browsers to the page where Stripe changes a plan. Anyone who has the address can use it. */
export function createStripeChangeRoutes(
  changes: StripeChanges,
  dashboardUrl: string | undefined,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useErrorPages(app, { isSandbox: false, dashboardUrl });
    app.get(
      '/stripe/changes/:id',
      { config: { public: true }, schema: { hide: true, params } },
      async (request, reply) => {
        const address = await changes.follow(request.params.id);
        if (address === undefined) {
          throw new AppError('NOT_FOUND', { message: 'There is no such page, or no longer.' });
        }
        return reply
          .header('Cache-Control', 'no-store')
          .header('Referrer-Policy', 'no-referrer')
          .redirect(address, 303);
      },
    );
  };
}
