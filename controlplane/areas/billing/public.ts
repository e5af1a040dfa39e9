/** Everything that other areas and the composition root may import from this area. */

export { createBillingByProvider } from './billing-by-provider.js';
export { chooseProvider } from './choose-provider.js';
export { warnOfLostPlans } from './lost-plans.js';
export { createPlanAccess } from './subscribed-plans.js';
