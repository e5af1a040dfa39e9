import type { IntegratorEventType } from './integrator-events.js';

/** Where a user wants to hear of events. Its secret is read only to sign with. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly events: readonly IntegratorEventType[];
  readonly createdAt: Date;
  /** Since when it is sent nothing, because it answered 410; `null` while it is sent to. */
  readonly disabledAt: Date | null;
  /** Whether its owner has paused it: messages wait. */
  readonly isPaused: boolean;
}
