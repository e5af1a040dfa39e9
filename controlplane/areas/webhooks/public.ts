/** Exports of this area for other areas and the composition root. */
export { answering, createGuardedLookup, type GuardedLookup } from './guarded-lookup.js';
export { bareHost, createFindAddresses } from './host-addresses.js';
export {
  emit,
  emitAll,
  emitMany,
  findWhetherTaken,
  type IntegratorEventData,
  type IntegratorEventType,
  type UserEvent,
} from './integrator-events.js';
export { isPublicAddress } from './public-address.js';
export { retryAfterSeconds } from './retry-after.js';
export { createWebhooks } from './webhooks.js';
