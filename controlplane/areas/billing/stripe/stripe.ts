import { type Billing, type BillingDeps, createBilling } from '../billing.js';
import { createBillingUpkeep } from '../billing-upkeep.js';
import type { Reconciliation } from '../reconciliation.js';
import { withCheckouts } from './checkout-reconciliation.js';
import { createDuplicateSubscriptions, withDuplicates } from './duplicate-subscriptions.js';
import { inTurns } from './reconciliation-turns.js';
import { stripeAddresses } from './stripe-addresses.js';
import { createStripeChangeRoutes } from './stripe-change-routes.js';
import { createStripeChanges } from './stripe-changes.js';
import { createOpenCheckout } from './stripe-checkout.js';
import { createStripeClient, type StripeClientOptions } from './stripe-client.js';
import { createSettleDispute } from './stripe-disputes.js';
import { createStripeEventReading } from './stripe-event-reading.js';
import { createStripeInbox, type StripeInbox } from './stripe-inbox.js';
import { createStripeInvoices } from './stripe-invoices.js';
import { createStripePortal } from './stripe-portal.js';
import { createStripePrices } from './stripe-prices.js';
import { createStripeProvider } from './stripe-provider.js';
import { createStripeWebhookRoutes } from './stripe-webhook-routes.js';

export interface StripeDeps extends Omit<BillingDeps, 'provider'> {
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
  const { database, outbox, catalogue, access, apiAddress, webhookSecret, dashboardUrl, logger, nowMs } =
    deps;
  const stripe = createStripeClient(deps.stripe);
  const prices = createStripePrices({ stripe, logger });
  const portal = createStripePortal(stripe);
  const invoices = createStripeInvoices({ stripe, prices, nowMs });
  const addresses = stripeAddresses({ apiAddress, dashboardUrl });
  const changes = createStripeChanges({ stripe, database, prices, portal, catalogue, addresses, nowMs });
  const openCheckout = createOpenCheckout({ stripe, database, prices, changes, addresses, nowMs });
  const provider = createStripeProvider({ stripe, database, openCheckout, portal, invoices, nowMs });
  const billing = createBilling({ ...deps, provider });
  const read = createStripeEventReading({ database, invoices, logger });
  const { events } = billing;
  const duplicates = createDuplicateSubscriptions({ stripe, database, provider, events, logger });
  const settleDispute = createSettleDispute({ database, provider, events, logger });
  const inbox = createStripeInbox({ database, read, events, settle: duplicates.settle, settleDispute });
  const checkoutDeps = { stripe, database, provider, events, logger, nowMs };
  const reconciliation = withDuplicates(withCheckouts(billing.reconciliation, checkoutDeps), duplicates);
  const nightly = inTurns(reconciliation, { database, provider: provider.name });
  const upkeep = createBillingUpkeep({
    database,
    outbox,
    access,
    provider: provider.name,
    reconciliation: nightly,
    logger,
    nowMs,
  });
  return {
    ...billing,
    reconciliation,
    inbox,
    nightly,
    routes: [
      ...billing.routes,
      createStripeChangeRoutes({ changes, dashboardUrl }),
      createStripeWebhookRoutes({ stripe, inbox, webhookSecret, nowMs }),
    ],
    jobs: [upkeep],
    upkeep,
  };
}
