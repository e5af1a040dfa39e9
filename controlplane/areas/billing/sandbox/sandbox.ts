import { type Billing, createBilling } from '../billing.js';
import { createBillingEvents } from '../billing-events.js';
import type { BillingDeps } from '../billing-parts.js';
import { createReconciliation } from '../reconciliation.js';
import { createSandboxActions } from './sandbox-actions.js';
import { sandboxAddresses } from './sandbox-addresses.js';
import { createSandboxProvider } from './sandbox-provider.js';
import { createSandboxRoutes } from './sandbox-routes.js';

export interface SandboxDeps extends BillingDeps {
  /** Public address of the API, without a slash at the end. */
  readonly apiAddress: () => string;
}

/** Billing with the sandbox as provider, and its pages. */
export function createSandboxBilling(deps: SandboxDeps): Billing {
  const addresses = sandboxAddresses(deps.apiAddress);
  const events = createBillingEvents(deps);
  const provider = createSandboxProvider({ ...deps, addresses, events });
  const parts = { ...deps, provider, events };
  const billing = createBilling(parts, createReconciliation(parts));
  const actions = createSandboxActions({ ...deps, addresses });
  return { ...billing, routes: [...billing.routes, createSandboxRoutes({ ...parts, actions })] };
}
