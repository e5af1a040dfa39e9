/** Exports of this area for other areas and the composition root. */

export { chooseProvider, createBillingByProvider } from './billing-by-provider.js';
export { createPlanAccess, warnOfLostPlans } from './subscribed-plans.js';
