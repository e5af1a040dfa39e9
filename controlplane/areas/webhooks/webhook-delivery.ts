import type { IntegratorEventType, TEST_EVENT_TYPE } from './integrator-events.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Reasons why an attempt has no answer. */
export const ATTEMPT_ERRORS = [
  'name_not_resolved',
  'address_refused',
  'connection_failed',
  'timed_out',
  'secret_unreadable',
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** Result of one attempt: the status code of the answer, or the reason why no answer came. */
export type AttemptOutcome =
  | {
      readonly responseCode: number;
      readonly error: null;
      /** Minimum wait before the next attempt, from the answer. */
      readonly retryAfterSeconds?: number | undefined;
    }
  | { readonly responseCode: null; readonly error: AttemptError };

/** One attempt, in the form of the log and of the database (JSON). */
export interface LoggedAttempt {
  /** ISO 8601. */
  readonly at: string;
  readonly responseCode: number | null;
  readonly error: AttemptError | null;
  readonly durationMs: number;
}

/** Delivery of one event to one endpoint. */
export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: IntegratorEventType | typeof TEST_EVENT_TYPE;
  readonly status: DeliveryStatus;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly LoggedAttempt[];
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

/** Returns whether the endpoint answered 410, which ends all messages to it. */
export function isGone({ responseCode }: Pick<LoggedAttempt, 'responseCode'>): boolean {
  return responseCode === 410;
}

/** Returns whether the endpoint accepted a message. Only 2xx accepts it. Redirects are not followed. */
export function isTaken({ responseCode }: Pick<LoggedAttempt, 'responseCode'>): boolean {
  return responseCode !== null && responseCode >= 200 && responseCode < 300;
}
