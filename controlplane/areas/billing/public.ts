/** Exports of this area for other areas and the composition root. */

export { createBillingByProvider } from './billing-by-provider.js';
export { chooseProvider } from './choose-provider.js';
export { warnOfLostPlans } from './lost-plans.js';
export { createPlanAccess } from './subscribed-plans.js';
