import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import type { StandingOf } from '../accounts/public.js';
import type { CountEvents, PlanAccess, PlanCatalogue } from '../plans/public.js';
import type { EmitIntegratorEvent } from './announcements.js';
import { type BillingEvents, createBillingEvents } from './billing-events.js';
import { createBillingRoutes } from './billing-routes.js';
import { createBillingSummary } from './billing-summary.js';
import { type BillingUpkeep, createBillingUpkeep } from './billing-upkeep.js';
import { createReadReturnUrl } from './checkout-return.js';
import { createCheckoutRoutes } from './checkout-routes.js';
import { createCheckoutService } from './checkout-service.js';
import { createPortalService } from './portal-service.js';
import type { BillingProvider } from './provider.js';
import { createReconciliation, type Reconciliation } from './reconciliation.js';
import { createSubscriptionService, type SubscriptionsOfLeavers } from './subscription-service.js';

export interface BillingDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly provider: BillingProvider;
  readonly emit: EmitIntegratorEvent;
  readonly countEvents: CountEvents;
  readonly dashboardUrl: string | undefined;
  /** Origins that a checkout may return users to, beside the dashboard's. */
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** Plans, subscriptions and payments, with any provider. */
export interface Billing extends Area {
  /** Applies events that a provider reports by itself. */
  readonly events: BillingEvents;
  readonly standingOf: StandingOf;
  readonly subscriptionsOfLeavers: SubscriptionsOfLeavers;
  readonly upkeep: BillingUpkeep;
  readonly reconciliation: Reconciliation;
}

/** Composes the area. */
export function createBilling(deps: BillingDeps): Billing {
  const { database, provider, catalogue, access, dashboardUrl, countEvents, logger, nowMs } = deps;
  const events = createBillingEvents(deps);
  const subscriptions = createSubscriptionService({ database, provider, events, catalogue, nowMs });
  const reconciliation = createReconciliation({ database, provider, events, logger });
  const upkeep = createBillingUpkeep({
    database,
    outbox: deps.outbox,
    access,
    provider: provider.name,
    reconciliation,
    logger,
    nowMs,
  });
  const portals = createPortalService({ database, provider, dashboardUrl, corsOrigins: deps.corsOrigins });
  const summary = createBillingSummary({ database, subscriptions, countEvents, logger, nowMs });
  const checkouts = createCheckoutService({
    database,
    provider,
    events,
    catalogue,
    readReturnUrl: createReadReturnUrl(deps),
    nowMs,
  });
  return {
    routes: [
      createCheckoutRoutes({ catalogue, checkouts }),
      createBillingRoutes({ database, catalogue, subscriptions, portals, summary, nowMs }),
    ],
    events,
    standingOf: summary.standingOf,
    subscriptionsOfLeavers: subscriptions.ofLeavers,
    jobs: [upkeep],
    upkeep,
    reconciliation,
  };
}
