import type { Database } from '../../database/database.js';
import { newId } from '../../database/new-id.js';
import type { PlanCatalogue } from '../plan-catalogue.js';
import type { BillingEvent, BillingProvider, SubscriptionSnapshot } from '../provider.js';
import { type StoredSubscription, subscriptionRepository } from '../subscription-repository.js';
import type { SandboxAddresses } from './sandbox-addresses.js';
import { chargeChange, subscriptionChange } from './sandbox-changes.js';
import { momentAfter, SANDBOX, subscriptionEvent, transactionEvent } from './sandbox-events.js';
import { sandboxPortalRepository } from './sandbox-portal-repository.js';

const PORTAL_LIFETIME_MS = 3600 * 1000;
/** A subscription that nobody looked at for longer catches up in several rounds. */
const MAX_RENEWALS_AT_ONCE = 24;

export interface SandboxProviderDeps {
  readonly database: Database;
  readonly catalogue: PlanCatalogue;
  readonly addresses: SandboxAddresses;
  readonly now: () => number;
}

/**
 * Takes no money: everything that a payment provider would do happens at once and here, and tells the same
 * events. It has no books of its own but ours.
 */
export function createSandboxProvider(deps: SandboxProviderDeps): BillingProvider {
  const { database, catalogue, addresses, now } = deps;

  async function changed(
    subscriptionId: string,
    change: (current: StoredSubscription, at: Date) => SubscriptionSnapshot,
  ): Promise<BillingEvent[]> {
    const current = await subscriptionRepository.findById(database, subscriptionId);
    if (current === undefined) return [];
    const at = momentAfter(current, now());
    return [subscriptionEvent(change(current, at), at)];
  }

  /** Pays for each period that has begun meanwhile: the sandbox's cards always work. */
  function renewals(current: StoredSubscription): BillingEvent[] {
    const plan = catalogue.get(current.planId);
    const events: BillingEvent[] = [];
    let last = current;
    while (last.currentPeriodEnd.getTime() <= now() && events.length < 2 * MAX_RENEWALS_AT_ONCE) {
      const at = momentAfter(last, last.currentPeriodEnd.getTime());
      // Named after the period: two processes that look at the same time charge for it once.
      const id = `sbx_cycle_${current.id}_${last.currentPeriodEnd.getTime()}`;
      const charge = { id, subscription: current, plan, type: 'subscription_cycle', at } as const;
      const receiptUrl = addresses.receipt(id);
      last = { ...last, ...subscriptionChange.renewed(last, plan, at), occurredAt: at };
      events.push(subscriptionEvent(last, at, `${id}_renewed`));
      events.push(transactionEvent(chargeChange.succeeded({ ...charge, receiptUrl }), at, `${id}_paid`));
    }
    return events;
  }

  return {
    name: SANDBOX,

    createCustomer: async ({ id }) => `sbx_cus_${id}`,

    // Pages that are open already may stay: what is paid on one of them is held against the others as they are paid.
    createCheckout: async ({ checkoutId }) => ({
      page: { providerCheckoutId: checkoutId, url: addresses.checkout(checkoutId) },
      events: [],
    }),

    async createPortal({ userId, returnUrl }) {
      const id = `${newId()}${newId()}`;
      const expiresAt = new Date(now() + PORTAL_LIFETIME_MS);
      await sandboxPortalRepository.insert(database, { id, userId, returnUrl: returnUrl ?? null, expiresAt });
      return { url: addresses.portal(id), expiresAt };
    },

    cancelAtPeriodEnd: (subscriptionId) => changed(subscriptionId, subscriptionChange.canceled),
    cancelNow: (subscriptionId) => changed(subscriptionId, subscriptionChange.revoked),
    reactivate: (subscriptionId) => changed(subscriptionId, subscriptionChange.reactivated),

    /** What the clock has done to it meanwhile; nothing else can have happened. */
    async readSubscription(subscriptionId) {
      const current = await subscriptionRepository.findById(database, subscriptionId);
      if (current === undefined || current.currentPeriodEnd.getTime() > now()) return [];
      switch (current.state) {
        case 'active':
        case 'trialing':
          return renewals(current);
        case 'canceled':
          return changed(subscriptionId, subscriptionChange.ended);
        case 'incomplete':
          return changed(subscriptionId, subscriptionChange.neverPaid);
        default:
          return [];
      }
    },
  };
}
