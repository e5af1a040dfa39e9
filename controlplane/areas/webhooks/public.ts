/** Exports of this area for other areas and the composition root. */
export {
  answering,
  bareHost,
  createFindAddresses,
  createGuardedLookup,
  type GuardedLookup,
} from './host-addresses.js';
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
