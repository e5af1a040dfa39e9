import { AppError } from '../../../errors/app-error.js';
import type { Queryable } from '../../../storage/postgres/database.js';
import { newId } from '../../../storage/postgres/new-id.js';
import type { BillingParts } from '../billing-parts.js';
import { isRenewing } from '../billing-states.js';
import { subscriptionToChange } from '../checkout-decisions.js';
import { atTime, type Checkout, checkoutRepository } from '../checkout-repository.js';
import type { BillingEvent } from '../provider.js';
import { type StoredSubscription, subscriptionRepository } from '../subscription-repository.js';
import { transactionRepository } from '../transaction-repository.js';
import type { SandboxAddresses } from './sandbox-addresses.js';
import { type Charge, chargeChange, subscriptionChange } from './sandbox-changes.js';
import {
  checkoutEvent,
  momentAfter,
  SANDBOX,
  subscriptionEvent,
  transactionEvent,
} from './sandbox-events.js';

export type CheckoutOutcome = 'succeed' | 'decline';
export type PortalAction = 'renew' | 'fail_payment' | 'refund' | 'cancel';

export interface SandboxActionsDeps extends Pick<BillingParts, 'catalogue' | 'nowMs'> {
  readonly addresses: SandboxAddresses;
}

/**
 * Converts an action on the sandbox's pages into events; none if the action is impossible. The result depends on the
 * current state, so `tx` must lock it until the events are applied.
 */
export type SandboxActions = ReturnType<typeof createSandboxActions>;

export function createSandboxActions(deps: SandboxActionsDeps) {
  const { catalogue, addresses, nowMs } = deps;

  function charge(
    id: string,
    subscription: Charge['subscription'],
    { planId, type, at }: { planId: string; type: Charge['type']; at: Date },
  ): Charge {
    return { id, subscription, plan: catalogue.get(planId), type, at, receiptUrl: addresses.receipt(id) };
  }

  const current = async (tx: Queryable, userId: string): Promise<StoredSubscription | undefined> =>
    (await subscriptionRepository.currentOf(tx, SANDBOX, [userId])).get(userId);

  /**
   * Returns the subscription that a checkout pays for: a change of the current one, or a new one. A page that offers a
   * trial must not cause a second trial or an immediate charge.
   */
  async function paidFor(tx: Queryable, checkout: Checkout) {
    const plan = catalogue.get(checkout.planId);
    const known = subscriptionToChange(await current(tx, checkout.userId), plan, nowMs());
    if (
      checkout.trialDays > 0 &&
      (await subscriptionRepository.hasBegunBefore(tx, SANDBOX, checkout.userId))
    ) {
      throw trialUsed();
    }
    const own = { id: `sbx_sub_${checkout.id}`, userId: checkout.userId };
    return { base: known ?? own, known, plan };
  }

  async function succeed(tx: Queryable, checkout: Checkout): Promise<BillingEvent[]> {
    const { base, known, plan } = await paidFor(tx, checkout);
    const before = known ?? (await subscriptionRepository.findById(tx, base.id));
    const at = momentAfter(before, nowMs());
    const begun = subscriptionChange.begun(base, { plan, trialDays: checkout.trialDays, at });
    const paid = charge(`sbx_pay_${checkout.id}`, base, { planId: plan.id, type: 'payment', at });
    const done = { providerCheckoutId: checkout.id, status: 'complete', subscriptionId: base.id } as const;
    // The id comes from the session, so a repeated payment counts once.
    return [
      subscriptionEvent(begun, at, `sbx_evt_${checkout.id}_begun`),
      ...(checkout.trialDays > 0
        ? []
        : [transactionEvent(chargeChange.succeeded(paid), at, `sbx_evt_${checkout.id}_paid`)]),
      checkoutEvent(done, at, `sbx_evt_${checkout.id}_complete`),
    ];
  }

  async function decline(tx: Queryable, checkout: Checkout): Promise<BillingEvent[]> {
    const { base, known, plan } = await paidFor(tx, checkout);
    const before = known ?? (await subscriptionRepository.findById(tx, base.id));
    const at = momentAfter(before, nowMs());
    const incomplete = subscriptionChange.incomplete(base, plan, { at, until: checkout.expiresAt });
    const failed = charge(`sbx_pay_${newId()}`, base, { planId: plan.id, type: 'payment', at });
    return [
      ...(known === undefined ? [subscriptionEvent(incomplete, at)] : []),
      transactionEvent(chargeChange.failed(failed), at),
    ];
  }

  function cycle(subscription: StoredSubscription, succeeds: boolean): BillingEvent[] {
    const { planId } = subscription;
    const at = momentAfter(subscription, nowMs());
    const attempt = charge(`sbx_cycle_${newId()}`, subscription, { planId, type: 'subscription_cycle', at });
    return [
      subscriptionEvent(
        succeeds
          ? subscriptionChange.renewed(subscription, attempt.plan, at)
          : subscriptionChange.pastDue(subscription, at),
        at,
      ),
      transactionEvent(succeeds ? chargeChange.succeeded(attempt) : chargeChange.failed(attempt), at),
    ];
  }

  async function refund(tx: Queryable, subscription: StoredSubscription): Promise<BillingEvent[]> {
    const paid = await transactionRepository.lastPaid(tx, subscription.id);
    if (paid === undefined) return [];
    const at = momentAfter(paid, nowMs());
    return [transactionEvent(chargeChange.refunded(paid, at), at)];
  }

  return {
    /**
     * @throws {AppError} VALIDATION_ERROR when another session, or the state of its subscription, prevents the payment
     */
    async pay(tx: Queryable, checkoutId: string, outcome: CheckoutOutcome): Promise<readonly BillingEvent[]> {
      const checkout = await checkoutRepository.findById(tx, checkoutId);
      if (checkout === undefined || atTime(checkout, nowMs()).status !== 'open') return [];
      return outcome === 'succeed' ? succeed(tx, checkout) : decline(tx, checkout);
    },

    async act(tx: Queryable, userId: string, action: PortalAction): Promise<readonly BillingEvent[]> {
      const subscription = await current(tx, userId);
      if (subscription === undefined) return [];
      if (action === 'refund') return refund(tx, subscription);
      // A subscription that was cancelled or has ended is neither charged nor cancelled again.
      if (!isRenewing(subscription.state)) return [];
      if (action !== 'cancel') return cycle(subscription, action === 'renew');
      const at = momentAfter(subscription, nowMs());
      return [subscriptionEvent(subscriptionChange.canceled(subscription, at), at)];
    },
  };
}

function trialUsed(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'planId',
    message:
      'You have subscribed since this page was opened, and there is one trial: POST /payment/checkout opens a page without it.',
  });
}
