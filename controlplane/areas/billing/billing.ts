import type { Area } from '../../area.js';
import type { LeaverSubscriptions, StandingOf } from '../accounts/public.js';
import type { BillingEvents, BillingParts } from './billing-parts.js';
import { createBillingRoutes, createCheckoutRoutes } from './billing-routes.js';
import { createBillingSummary } from './billing-summary.js';
import { type BillingUpkeep, createBillingUpkeep } from './billing-upkeep.js';
import { createReadReturnUrl } from './checkout-return.js';
import { createCheckoutService } from './checkout-service.js';
import { createPortalService } from './portal-service.js';
import type { Reconciliation } from './reconciliation.js';
import { createSubscriptionService } from './subscription-service.js';

/** Plans, subscriptions and payments, with any provider. */
export interface Billing extends Area {
  /** Applies events that a provider sends without a request. */
  readonly events: BillingEvents;
  readonly standingOf: StandingOf;
  readonly subscriptionsOfLeavers: LeaverSubscriptions;
  readonly upkeep: BillingUpkeep;
  readonly reconciliation: Reconciliation;
}

/**
 * Composes the area.
 *
 * @param reconciliation run once a day
 */
export function createBilling(parts: BillingParts, reconciliation: Reconciliation): Billing {
  const subscriptions = createSubscriptionService(parts);
  const upkeep = createBillingUpkeep({ ...parts, provider: parts.provider.name, reconciliation });
  const portals = createPortalService(parts);
  const summary = createBillingSummary({ ...parts, subscriptions });
  const checkouts = createCheckoutService({ ...parts, readReturnUrl: createReadReturnUrl(parts) });
  return {
    routes: [
      createCheckoutRoutes(parts.catalogue, checkouts),
      createBillingRoutes({ ...parts, subscriptions, portals, summary }),
    ],
    events: parts.events,
    standingOf: summary.standingOf,
    subscriptionsOfLeavers: subscriptions.ofLeavers,
    jobs: [upkeep],
    upkeep,
    reconciliation,
  };
}
