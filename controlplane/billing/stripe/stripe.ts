import { type Billing, type BillingDeps, createBilling } from '../billing.js';
import { createBillingUpkeep } from '../billing-upkeep.js';
import type { Reconciliation } from '../reconciliation.js';
import { withCheckouts } from './checkout-reconciliation.js';
import { inTurns } from './reconciliation-turns.js';
import { createStripeBooks } from './stripe-books.js';
import { createOpenCheckout } from './stripe-checkout.js';
import { createStripeClient, type StripeClientOptions } from './stripe-client.js';
import { createStripeEventReading } from './stripe-event-reading.js';
import { createStripeInbox, type StripeInbox } from './stripe-inbox.js';
import { createStripePortal } from './stripe-portal.js';
import { createStripePrices } from './stripe-prices.js';
import { createStripeProvider } from './stripe-provider.js';
import { createStripeWebhookRoutes } from './stripe-webhook-routes.js';

export interface StripeDeps extends Omit<BillingDeps, 'provider'> {
  /** The API's address, as its users reach it: without a slash at the end. */
  readonly apiAddress: () => string;
  readonly stripe: StripeClientOptions;
  readonly webhookSecret: string | undefined;
}

export interface StripeBilling extends Billing {
  readonly inbox: StripeInbox;
  /** As the upkeep does it: by one of several control planes, once a day. */
  readonly nightly: Reconciliation;
}

/** Billing with Stripe for a provider, and the webhook that it tells of events at. */
export function createStripeBilling(deps: StripeDeps): StripeBilling {
  const { database, outbox, access, apiAddress, webhookSecret, dashboardUrl, logger, now } = deps;
  const stripe = createStripeClient(deps.stripe);
  const prices = createStripePrices(stripe);
  const portal = createStripePortal(stripe);
  const books = createStripeBooks({ stripe, prices, now });
  // Who has no dashboard has the documentation at least.
  const returnAddress = () => dashboardUrl ?? `${apiAddress()}/docs`;
  const openCheckout = createOpenCheckout({ stripe, prices, portal, returnAddress });
  const provider = createStripeProvider({ stripe, database, openCheckout, portal, books, now });
  const billing = createBilling({ ...deps, provider });
  const read = createStripeEventReading({ database, books });
  const inbox = createStripeInbox({ database, read, events: billing.events });
  const { events } = billing;
  const checkoutDeps = { stripe, database, provider, events, logger, now };
  const reconciliation = withCheckouts(billing.reconciliation, checkoutDeps);
  const nightly = inTurns(reconciliation, { database, provider: provider.name });
  return {
    ...billing,
    reconciliation,
    inbox,
    nightly,
    routes: [...billing.routes, createStripeWebhookRoutes({ stripe, inbox, webhookSecret, now })],
    upkeep: createBillingUpkeep({ database, outbox, access, reconciliation: nightly, logger, now }),
  };
}
