import { newId } from '../../../storage/postgres/new-id.js';
import type { BillingParts } from '../billing-parts.js';
import type { BillingEvent, BillingProvider, SubscriptionSnapshot } from '../provider.js';
import { type StoredSubscription, subscriptionRepository } from '../subscription-repository.js';
import type { SandboxAddresses } from './sandbox-addresses.js';
import { chargeChange, subscriptionChange } from './sandbox-changes.js';
import { momentAfter, SANDBOX, subscriptionEvent, transactionEvent } from './sandbox-events.js';
import { sandboxPortalRepository } from './sandbox-portal-repository.js';

const PORTAL_LIFETIME_MS = 3600 * 1000;
/** Maximum renewals per read. A subscription with more overdue periods catches up in several rounds. */
const MAX_RENEWALS_AT_ONCE = 24;

export interface SandboxProviderDeps
  extends Pick<BillingParts, 'database' | 'catalogue' | 'events' | 'nowMs'> {
  readonly addresses: SandboxAddresses;
}

type Change = (current: StoredSubscription, at: Date) => SubscriptionSnapshot;

/**
 * A provider that takes no money. It carries out every action immediately and reports the same events as a real
 * provider. It stores nothing beyond the tables of billing.
 */
export function createSandboxProvider(deps: SandboxProviderDeps): BillingProvider {
  const { database, catalogue, addresses, events, nowMs } = deps;

  /**
   * Decides on a subscription's state and applies the result. Both happen under one lock of the user, so the state
   * cannot change in between.
   */
  async function decide(
    subscriptionId: string,
    decision: (current: StoredSubscription) => BillingEvent[],
  ): Promise<readonly BillingEvent[]> {
    const known = await subscriptionRepository.findById(database, subscriptionId);
    if (known === undefined) return [];
    await events.applyDecision(known.userId, async (tx) => {
      const current = await subscriptionRepository.findById(tx, subscriptionId);
      return current === undefined ? [] : decision(current);
    });
    return [];
  }

  const changed = (change: Change) => (current: StoredSubscription) => {
    const at = momentAfter(current, nowMs());
    return [subscriptionEvent(change(current, at), at)];
  };

  /** Charges each period that has begun since the last read. The sandbox's cards always work. */
  function renewals(current: StoredSubscription): BillingEvent[] {
    const plan = catalogue.get(current.planId);
    const led: BillingEvent[] = [];
    let last = current;
    while (last.currentPeriodEnd.getTime() <= nowMs() && led.length < 2 * MAX_RENEWALS_AT_ONCE) {
      const at = momentAfter(last, last.currentPeriodEnd.getTime());
      // The id comes from the period, so two processes that read at the same time charge once.
      const id = `sbx_cycle_${current.id}_${last.currentPeriodEnd.getTime()}`;
      const charge = { id, subscription: current, plan, type: 'subscription_cycle', at } as const;
      const receiptUrl = addresses.receipt(id);
      last = { ...last, ...subscriptionChange.renewed(last, plan, at), occurredAt: at };
      led.push(subscriptionEvent(last, at, `${id}_renewed`));
      led.push(transactionEvent(chargeChange.succeeded({ ...charge, receiptUrl }), at, `${id}_paid`));
    }
    return led;
  }

  function passed(current: StoredSubscription): BillingEvent[] {
    if (current.currentPeriodEnd.getTime() > nowMs()) return [];
    switch (current.state) {
      case 'active':
      case 'trialing':
        return renewals(current);
      case 'canceled':
        return changed(subscriptionChange.ended)(current);
      case 'incomplete':
        return changed(subscriptionChange.neverPaid)(current);
      default:
        return [];
    }
  }

  return {
    name: SANDBOX,

    createCustomer: async ({ id }) => `sbx_cus_${id}`,

    // Older pages may stay open: each payment is checked against other sessions and the current subscription.
    createCheckout: async ({ checkoutId }) => ({
      page: { providerCheckoutId: checkoutId, url: addresses.checkout(checkoutId) },
      events: [],
    }),

    async createPortal({ userId, returnUrl }) {
      const id = `${newId()}${newId()}`;
      const expiresAt = new Date(nowMs() + PORTAL_LIFETIME_MS);
      await sandboxPortalRepository.insert(database, { id, userId, returnUrl: returnUrl ?? null, expiresAt });
      return { url: addresses.portal(id), expiresAt };
    },

    cancelAtPeriodEnd: (id) => decide(id, changed(subscriptionChange.canceled)),
    cancelNow: (id) => decide(id, changed(subscriptionChange.revoked)),
    reactivate: (id) => decide(id, changed(subscriptionChange.reactivated)),

    /** Applies the changes that time alone has caused; no other changes are possible. */
    readSubscription: (id) => decide(id, passed),
  };
}
