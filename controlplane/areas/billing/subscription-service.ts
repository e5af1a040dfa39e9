import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { LeaverSubscriptions } from '../accounts/public.js';
import { withOverLimits } from '../plans/public.js';
import { recordRequest } from './billing-history.js';
import type { BillingParts } from './billing-parts.js';
import { isRunning } from './billing-states.js';
import type { BillingEvent } from './provider.js';
import { hasAccess, type Subscription } from './subscription.js';
import { dayOf, lastAccessDay } from './subscription-record.js';
import { subscriptionRepository } from './subscription-repository.js';

export interface Changed {
  readonly subscription: Subscription;
  /** Text for people. */
  readonly message: string;
}

/** Reads, cancels and reactivates the subscription of a user. */
export type SubscriptionService = ReturnType<typeof createSubscriptionService>;

export function createSubscriptionService(
  deps: Pick<BillingParts, 'database' | 'provider' | 'events' | 'catalogue' | 'nowMs'>,
) {
  const { database, provider, events, catalogue, nowMs } = deps;

  const current = async (userId: string, source: Queryable = database): Promise<Subscription | undefined> =>
    (await subscriptionRepository.currentOf(source, provider.name, [userId])).get(userId);

  /** Returns the running subscription, cancelled or not. */
  async function running(userId: string, source?: Queryable): Promise<Subscription | undefined> {
    const subscription = await current(userId, source);
    return subscription === undefined || isGone(subscription, nowMs()) ? undefined : subscription;
  }

  async function applied(id: string, led: readonly BillingEvent[]): Promise<Subscription> {
    await events.apply(...led);
    const subscription = await subscriptionRepository.findById(database, id);
    if (subscription === undefined) throw new Error('a subscription that was acted on is gone');
    return subscription;
  }

  async function cancelNow(subscription: Subscription, reason: string | undefined): Promise<Changed> {
    const revoked = await applied(subscription.id, await provider.cancelNow(subscription.id, reason));
    const ended = 'Your subscription has ended.';
    const message = await withOverLimits(database, subscription.userId, catalogue.defaultPlan, ended);
    return { subscription: revoked, message };
  }

  async function cancelAtPeriodEnd(subscription: Subscription, reason: string | undefined): Promise<Changed> {
    const canceled =
      subscription.state === 'canceled'
        ? subscription
        : await applied(subscription.id, await provider.cancelAtPeriodEnd(subscription.id, reason));
    if (!isRunning(canceled.state)) throw notFound('cancel');
    const [end, lastDay] = [dayOf(canceled.currentPeriodEnd), lastAccessDay(canceled)];
    const access = lastDay === end ? 'then' : lastDay;
    return {
      subscription: canceled,
      message: `Your subscription will end on ${end}. You keep access until ${access}.`,
    };
  }

  const ofLeavers: LeaverSubscriptions = {
    async renewing(source, userId) {
      const subscription = await running(userId, source);
      return subscription?.state === 'canceled' ? undefined : subscription?.id;
    },
    async cancel(userId) {
      const subscription = await running(userId);
      if (subscription === undefined || subscription.state === 'canceled') return;
      await applied(subscription.id, await provider.cancelAtPeriodEnd(subscription.id, LEAVING));
    },
    async resume(userId) {
      const subscription = await running(userId);
      if (subscription?.state !== 'canceled') return;
      await applied(subscription.id, await provider.reactivate(subscription.id));
    },
    async end(userId) {
      const subscription = await running(userId);
      if (subscription !== undefined) await cancelNow(subscription, LEAVING);
    },
  };

  return {
    ofLeavers,
    /** Returns the subscription that gives access now. */
    async active(userId: string): Promise<Subscription | undefined> {
      const subscription = await current(userId);
      return subscription !== undefined && hasAccess(subscription, nowMs()) ? subscription : undefined;
    },

    /** @throws {AppError} SUBSCRIPTION_NOT_FOUND, SERVICE_UNAVAILABLE */
    async cancel(
      user: CurrentUser,
      { immediately, reason }: { readonly immediately: boolean; readonly reason: string | undefined },
    ): Promise<Changed> {
      const subscription = await current(user.id);
      if (subscription === undefined || isGone(subscription, nowMs())) throw notFound('cancel');
      if (reason !== undefined) await subscriptionRepository.keepReason(database, subscription.id, reason);
      const changed = await (immediately ? cancelNow : cancelAtPeriodEnd)(subscription, reason);
      const when = immediately ? 'at once' : 'for the end of the period';
      await recordRequest(database, user, changed.subscription, `Cancelled ${when} by the user`);
      return changed;
    },

    /** @throws {AppError} SUBSCRIPTION_NOT_FOUND, SUBSCRIPTION_NOT_REACTIVATABLE, SERVICE_UNAVAILABLE */
    async reactivate(user: CurrentUser): Promise<Changed> {
      const subscription = await current(user.id);
      if (subscription === undefined || isGone(subscription, nowMs()))
        throw notReactivatableAnyMore(subscription);
      if (subscription.state !== 'canceled') {
        throw notReactivatable('Your subscription is not cancelled: there is nothing to withdraw.');
      }
      const reactivated = await applied(subscription.id, await provider.reactivate(subscription.id));
      if (!isRunning(reactivated.state)) throw notReactivatableAnyMore(reactivated);
      await recordRequest(database, user, reactivated, 'Cancellation withdrawn by the user');
      return {
        subscription: reactivated,
        message: 'The cancellation is withdrawn; your subscription goes on.',
      };
    },
  };
}

const LEAVING = 'The account is deleted.';

/** Returns whether it never began, or has ended by an event or the clock. */
function isGone(subscription: Subscription, nowMs: number): boolean {
  if (!isRunning(subscription.state)) return true;
  return subscription.state === 'canceled' && !hasAccess(subscription, nowMs);
}

function notFound(what: string): AppError {
  return new AppError('SUBSCRIPTION_NOT_FOUND', {
    message: `There is no subscription to ${what}. POST /payment/checkout begins one.`,
  });
}

/** @param gone `undefined`: there was none */
function notReactivatableAnyMore(gone: Subscription | undefined): AppError {
  return gone?.state === 'revoked'
    ? notReactivatable('Your subscription was ended at once, which cannot be undone.')
    : notFound('reactivate');
}

function notReactivatable(reason: string): AppError {
  return new AppError('SUBSCRIPTION_NOT_REACTIVATABLE', {
    message: `${reason} Only a cancellation for the end of the period can be withdrawn.`,
  });
}
