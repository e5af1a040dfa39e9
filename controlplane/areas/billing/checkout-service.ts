import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Plan } from '../../plan.js';
import { newId } from '../../storage/postgres/new-id.js';
import { PLAN_ID_PATTERN, type PlanCatalogue } from '../plans/public.js';
import type { BillingParts } from './billing-parts.js';
import { subscriptionToChange } from './checkout-decisions.js';
import { atTime, type Checkout, checkoutRepository } from './checkout-repository.js';
import type { ReadReturnUrl } from './checkout-return.js';
import { customerOf } from './customers.js';
import type { CheckoutPrice } from './provider.js';
import type { Subscription } from './subscription.js';
import { subscriptionRepository } from './subscription-repository.js';

const LIFETIME_MS = 24 * 3600 * 1000;

export interface CheckoutServiceDeps
  extends Pick<BillingParts, 'database' | 'provider' | 'events' | 'catalogue' | 'nowMs'> {
  readonly readReturnUrl: ReadReturnUrl;
}

export interface CheckoutRequest {
  readonly planId?: unknown;
  readonly successUrl?: string | null;
  readonly cancelUrl?: string | null;
}

/** Sessions in which users pay for a plan. */
export type CheckoutService = ReturnType<typeof createCheckoutService>;

export function createCheckoutService(deps: CheckoutServiceDeps) {
  const { database, provider, events, catalogue, readReturnUrl, nowMs } = deps;

  async function findReplaced(userId: string, plan: Plan): Promise<Subscription | undefined> {
    const known = await subscriptionRepository.currentOf(database, provider.name, [userId]);
    return subscriptionToChange(known.get(userId), plan, nowMs());
  }

  /** Decides again, because the provider has a subscription that was not known here. */
  async function refuse(userId: string, plan: Plan): Promise<never> {
    await findReplaced(userId, plan);
    throw new AppError('VALIDATION_ERROR', {
      field: 'planId',
      message: 'You subscribed to a plan a moment ago. GET /payment/subscription shows it.',
    });
  }

  return {
    /**
     * @throws {AppError} INVALID_PLAN_ID, PLAN_NOT_FOUND, INVALID_REQUEST when an address is not accepted,
     * VALIDATION_ERROR when the subscription has this plan already or needs another step first, SERVICE_UNAVAILABLE
     */
    async open(user: CurrentUser, request: CheckoutRequest): Promise<Checkout> {
      const plan = requirePlan(catalogue, request.planId);
      // The id alone opens a page, so it is long enough not to be guessed.
      const id = `${newId()}${newId()}`;
      const returns = {
        successUrl: readReturnUrl('successUrl', request.successUrl, id),
        cancelUrl: readReturnUrl('cancelUrl', request.cancelUrl, id),
      };
      const replaced = await findReplaced(user.id, plan);
      const isFirst = !(await subscriptionRepository.hasBegunBefore(database, provider.name, user.id));
      const createdAt = new Date(nowMs());
      const checkout = {
        id,
        ...returns,
        trialDays: isFirst ? plan.pricing.trialDays : 0,
        expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
      };
      const opened = await provider.createCheckout({
        checkoutId: checkout.id,
        userId: user.id,
        customerId: await customerOf(database, provider, user),
        plan,
        trialDays: checkout.trialDays,
        replaces: replaced?.id,
        expiresAt: checkout.expiresAt,
        ...returns,
      });
      await events.apply(...opened.events);
      if (opened.page === undefined) return refuse(user.id, plan);
      const { providerCheckoutId, url, payment } = opened.page;
      const session: Checkout = {
        ...checkout,
        providerCheckoutId,
        url,
        price: payment?.price ?? priceOf(plan, checkout.trialDays),
        customerName: payment?.customerName ?? null,
        customerEmail: payment?.customerEmail ?? user.email,
        userId: user.id,
        planId: plan.id,
        provider: provider.name,
        status: 'open',
        subscriptionId: null,
        completedAt: null,
        createdAt,
      };
      if (!(await checkoutRepository.insert(database, session))) throw pageTaken(session);
      return session;
    },

    /** @throws {AppError} NOT_FOUND, FORBIDDEN */
    async get(userId: string, checkoutId: string): Promise<Checkout> {
      const checkout = await checkoutRepository.findById(database, checkoutId);
      if (checkout === undefined) {
        throw new AppError('NOT_FOUND', { message: 'There is no checkout session with this id.' });
      }
      if (checkout.userId !== userId) {
        throw new AppError('FORBIDDEN', { message: 'This checkout session belongs to someone else.' });
      }
      return atTime(checkout, nowMs());
    },
  };
}

/** Returns the amount due for a plan without discount and tax; 0 if a trial begins. */
export function priceOf({ pricing }: Plan, trialDays: number): CheckoutPrice {
  const amount = trialDays > 0 ? 0 : pricing.amount;
  return { amount, discountAmount: 0, taxAmount: 0, totalAmount: amount, currency: pricing.currency };
}

/** Stripe always returns a new page; a stub with fixed answers may not. */
function pageTaken({ provider, providerCheckoutId }: Checkout): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'The payment provider returned the checkout page of another user. Retry later.',
    detail: `${provider} returned the session ${providerCheckoutId} twice`,
  });
}

function requirePlan(catalogue: PlanCatalogue, planId: unknown): Plan {
  if (typeof planId !== 'string' || !new RegExp(PLAN_ID_PATTERN).test(planId)) {
    throw new AppError('INVALID_PLAN_ID', {
      field: 'planId',
      message:
        'planId must be the id of a plan, as GET /user/plans lists them: 1 to 63 letters, digits, _ and -.',
    });
  }
  const plan = catalogue.find(planId);
  if (plan === undefined || !plan.isActive) {
    throw new AppError('PLAN_NOT_FOUND', {
      field: 'planId',
      message: `There is no plan ${planId}. GET /user/plans lists those there are.`,
    });
  }
  if (plan.pricing.amount === 0) {
    throw new AppError('INVALID_PLAN_ID', {
      field: 'planId',
      message: `The plan ${planId} costs nothing: there is nothing to check out. Cancel your subscription to return to it.`,
    });
  }
  return plan;
}
