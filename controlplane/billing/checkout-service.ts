import type { CurrentUser } from '../accounts/current-user.js';
import type { Plan } from '../accounts/plans.js';
import type { Database } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { AppError } from '../errors/app-error.js';
import { atTime, type Checkout, checkoutRepository } from './checkout-repository.js';
import { customerOf } from './customers.js';
import type { PlanCatalogue } from './plan-catalogue.js';
import { PLAN_ID_PATTERN } from './plan-schema.js';
import type { BillingProvider } from './provider.js';
import { hasAccess, type Subscription } from './subscription.js';
import { subscriptionRepository } from './subscription-repository.js';
import { isRunning } from './subscription-states.js';

const LIFETIME_MS = 24 * 3600 * 1000;

export interface CheckoutServiceDeps {
  readonly database: Database;
  readonly provider: BillingProvider;
  readonly catalogue: PlanCatalogue;
  readonly now: () => number;
}

/** Sessions in which users pay for a plan. */
export interface CheckoutService {
  /**
   * @param planId as it stands in the request
   * @throws {AppError} INVALID_PLAN_ID, PLAN_NOT_FOUND, VALIDATION_ERROR when the user is on the plan already,
   * SERVICE_UNAVAILABLE
   */
  open(user: CurrentUser, planId: unknown): Promise<Checkout>;
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  get(userId: string, checkoutId: string): Promise<Checkout>;
}

export function createCheckoutService(deps: CheckoutServiceDeps): CheckoutService {
  const { database, provider, catalogue, now } = deps;

  async function requireChange(userId: string, plan: Plan): Promise<Subscription | undefined> {
    const current = (await subscriptionRepository.currentOf(database, [userId])).get(userId);
    if (current === undefined || !isRunning(current.state)) return undefined;
    if (current.state === 'canceled' && !hasAccess(current, now())) return undefined;
    const isPaidFor = current.state === 'active' || current.state === 'trialing';
    if (isPaidFor && current.planId === plan.id) {
      throw new AppError('VALIDATION_ERROR', {
        field: 'planId',
        message: `planId names the plan that you are subscribed to already; choose another than ${plan.id}.`,
      });
    }
    return current;
  }

  return {
    async open(user, planId) {
      const plan = requirePlan(catalogue, planId);
      const replaced = await requireChange(user.id, plan);
      const isFirst = !(await subscriptionRepository.hasBegunBefore(database, user.id));
      const createdAt = new Date(now());
      const checkout = {
        // Long enough for the address of a page that asks for nothing else.
        id: `${newId()}${newId()}`,
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
      });
      const session: Checkout = {
        ...checkout,
        ...opened,
        userId: user.id,
        planId: plan.id,
        provider: provider.name,
        status: 'open',
        subscriptionId: null,
        completedAt: null,
        createdAt,
      };
      await checkoutRepository.insert(database, session);
      return session;
    },

    async get(userId, checkoutId) {
      const checkout = await checkoutRepository.findById(database, checkoutId);
      if (checkout === undefined) {
        throw new AppError('NOT_FOUND', { message: 'There is no checkout session with this id.' });
      }
      if (checkout.userId !== userId) {
        throw new AppError('FORBIDDEN', { message: 'This checkout session belongs to someone else.' });
      }
      return atTime(checkout, now());
    },
  };
}

function requirePlan(catalogue: PlanCatalogue, planId: unknown): Plan {
  if (typeof planId !== 'string' || !new RegExp(PLAN_ID_PATTERN).test(planId)) {
    throw new AppError('INVALID_PLAN_ID', {
      field: 'planId',
      message: 'planId must be the id of a plan, as GET /user/plans lists them.',
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
