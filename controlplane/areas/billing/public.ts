/** Exports of this area for other areas and the composition root. */

export { chooseProvider, createBillingByProvider } from './billing-by-provider.js';
export { warnOfLostPlans } from './lost-plans.js';
export { createPlanAccess } from './subscribed-plans.js';
