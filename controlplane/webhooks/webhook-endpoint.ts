import type { IntegratorEventType } from './integrator-events.js';

/** Where a user wants to hear of events. Its secret is read only to sign with. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly events: readonly IntegratorEventType[];
  readonly createdAt: Date;
}
