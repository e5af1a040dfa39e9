/** Exports of this area for other areas and the composition root. */
export { endExcess } from './excess.js';
export { type CountEvents, createPeriodUsage } from './period-usage.js';
export { loadPlanCatalogue, type PlanCatalogue } from './plan-catalogue.js';
export { changePlan, recordRetentionChange } from './plan-change.js';
export type { PlanAccess, PlanParts } from './plan-parts.js';
export { PLAN_ID_PATTERN, PlanSchema, PlansSchema, planRecord } from './plan-schema.js';
export { overLimitsSentence, requireRoom, withOverLimits } from './plan-usage.js';
export { createPlans } from './plans.js';
