/** Everything that other areas and the composition root may import from this area. */
export { emit, emitMany, type IntegratorEventData, type IntegratorEventType } from './integrator-events.js';
export { createWebhooks } from './webhooks.js';
