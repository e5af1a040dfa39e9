import type { FastifyPluginAsync } from 'fastify';
import { type Billing, type BillingDeps, createBilling } from '../billing.js';
import { createBillingEvents } from '../billing-events.js';
import { createSandboxActions } from './sandbox-actions.js';
import { sandboxAddresses } from './sandbox-addresses.js';
import { createSandboxProvider } from './sandbox-provider.js';
import { createSandboxRoutes } from './sandbox-routes.js';

export interface SandboxDeps extends Omit<BillingDeps, 'provider'> {
  /** Public address of the API, without a slash at the end. */
  readonly apiAddress: () => string;
}

/** Billing with the sandbox as provider, and its pages. */
export function createSandboxBilling(deps: SandboxDeps): Billing {
  const { database, catalogue, dashboardUrl, nowMs } = deps;
  const addresses = sandboxAddresses(deps.apiAddress);
  const provider = createSandboxProvider({
    database,
    catalogue,
    addresses,
    events: createBillingEvents(deps),
    nowMs,
  });
  const billing = createBilling({ ...deps, provider });
  const actions = createSandboxActions({ catalogue, addresses, nowMs });
  const pages: FastifyPluginAsync = createSandboxRoutes({
    database,
    catalogue,
    events: billing.events,
    actions,
    dashboardUrl,
    nowMs,
  });
  return { ...billing, routes: [...billing.routes, pages] };
}
