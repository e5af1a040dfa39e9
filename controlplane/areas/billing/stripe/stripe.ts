import { type Billing, createBilling } from '../billing.js';
import { createBillingEvents } from '../billing-events.js';
import type { BillingDeps } from '../billing-parts.js';
import { createReconciliation, type Reconciliation } from '../reconciliation.js';
import { createDuplicateSubscriptions } from './duplicate-subscriptions.js';
import { stripeAddresses } from './stripe-addresses.js';
import { createStripeChangeRoutes, createStripeChanges } from './stripe-changes.js';
import { createOpenCheckout } from './stripe-checkout.js';
import { createStripeClient, type StripeClientOptions } from './stripe-client.js';
import { createSettleDispute } from './stripe-disputes.js';
import { createStripeEventReading } from './stripe-event-reading.js';
import { createStripeInbox, type StripeInbox } from './stripe-inbox.js';
import { createStripeInvoices } from './stripe-invoices.js';
import { createStripePortal } from './stripe-portal.js';
import { createStripePrices } from './stripe-prices.js';
import { createStripeProvider } from './stripe-provider.js';
import { createStripeReconciliation, inTurns } from './stripe-reconciliation.js';
import { createStripeWebhookRoutes } from './stripe-webhook-routes.js';

export interface StripeDeps extends BillingDeps {
  /** Public address of the API, without a slash at the end. */
  readonly apiAddress: () => string;
  readonly stripe: StripeClientOptions;
  readonly webhookSecret: string | undefined;
}

export interface StripeBilling extends Billing {
  readonly inbox: StripeInbox;
  /** Reconciliation that one of several control planes runs once a day. */
  readonly nightly: Reconciliation;
}

/** Billing with Stripe as provider, and the webhook for its events. */
export function createStripeBilling(deps: StripeDeps): StripeBilling {
  const events = createBillingEvents(deps);
  const shared = { ...deps, events, stripe: createStripeClient(deps.stripe) };
  const prices = createStripePrices(shared);
  const portal = createStripePortal(shared.stripe);
  const invoices = createStripeInvoices({ ...shared, prices });
  const addresses = stripeAddresses(deps);
  const changes = createStripeChanges({ ...shared, prices, portal, addresses });
  const openCheckout = createOpenCheckout({ ...shared, prices, changes, addresses });
  const provider = createStripeProvider({ ...shared, openCheckout, portal, invoices });
  const parts = { ...shared, provider };
  const duplicates = createDuplicateSubscriptions(parts);
  const reconciliation = createStripeReconciliation(parts, createReconciliation(parts), duplicates);
  const nightly = inTurns(reconciliation, { database: deps.database, provider: provider.name });
  const inbox = createStripeInbox({
    ...parts,
    read: createStripeEventReading({ ...parts, invoices }),
    settle: duplicates.settle,
    settleDispute: createSettleDispute(parts),
  });
  const billing = createBilling(parts, nightly);
  return {
    ...billing,
    reconciliation,
    inbox,
    nightly,
    routes: [
      ...billing.routes,
      createStripeChangeRoutes(changes, deps.dashboardUrl),
      createStripeWebhookRoutes({ ...parts, inbox }),
    ],
  };
}
