import type { IntegratorEventType } from './integrator-events.js';

/** Address that receives a user's events. Its secret is read only for signing. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly events: readonly IntegratorEventType[];
  readonly createdAt: Date;
  /** Time at which the endpoint answered 410 and was disabled; `null` while it is active. */
  readonly disabledAt: Date | null;
  /** Whether its owner has paused it. Messages wait then. */
  readonly isPaused: boolean;
}
