import type { Queryable } from '../../storage/postgres/database.js';
import type { LoggedAttempt } from './webhook-delivery.js';

/** Maximum number of logged attempts of one delivery. */
const MAX_LOGGED_ATTEMPTS = 20;

/** A delivery that this process sends while its claim lasts. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly claim: string;
  readonly endpointId: string;
  /** Whether the endpoint is disabled and gets this delivery only because of a manual request. */
  readonly isDisabled: boolean;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
  /** The secret before a rotation, while it also signs messages. */
  readonly previousSecret: Buffer | null;
  readonly eventId: string;
  readonly payload: string;
  /** 1 for the first. */
  readonly attemptNumber: number;
}

export interface ClaimOptions {
  /** Different in each claim of each process. */
  readonly claim: string;
  readonly limit: number;
  /** Duration of a claim. Afterwards another process may send the delivery. */
  readonly leaseSeconds: number;
  /** Endpoints that get nothing in this claim. */
  readonly exceptEndpoints: readonly string[];
}

/** Next state of a delivery after an attempt. */
export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'again'; readonly inSeconds: number };

/** All SQL about sending deliveries. Several processes share the queue. */
export const deliveryQueue = {
  /**
   * Takes the oldest due delivery of each endpoint. The backlog of one endpoint therefore does not delay another. An
   * unsettled delivery becomes due again later. After a crash it is sent again.
   */
  async claim(source: Queryable, options: ClaimOptions): Promise<ClaimedDelivery[]> {
    const { claim, limit, leaseSeconds, exceptEndpoints } = options;
    return source.query<ClaimedDelivery>(
      `WITH RECURSIVE waiting (endpoint_id) AS (
         -- The endpoints that have pending deliveries. Each step is one lookup, however many deliveries there are.
         (SELECT endpoint_id FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL ORDER BY endpoint_id LIMIT 1)
         UNION ALL
         SELECT next.endpoint_id FROM waiting, LATERAL (SELECT endpoint_id FROM webhook_deliveries
           WHERE next_attempt_at IS NOT NULL AND endpoint_id > waiting.endpoint_id
           ORDER BY endpoint_id LIMIT 1) AS next
       ), open AS MATERIALIZED (
         SELECT endpoint_id FROM waiting WHERE endpoint_id <> ALL ($4::text[])
           AND NOT EXISTS (SELECT FROM webhook_endpoints WHERE id = endpoint_id AND paused_at IS NOT NULL)
       ), first AS (
         SELECT next.id, next.due_at FROM open, LATERAL (SELECT id, next_attempt_at AS due_at FROM webhook_deliveries
           WHERE endpoint_id = open.endpoint_id AND next_attempt_at <= now()
           ORDER BY next_attempt_at, id LIMIT 1) AS next
       ), taken AS (
         SELECT due.id FROM webhook_deliveries AS due JOIN first ON first.id = due.id
         -- Once more: another process may have taken it since.
         WHERE due.next_attempt_at <= now()
         ORDER BY first.due_at LIMIT $2 FOR UPDATE OF due SKIP LOCKED
       )
       UPDATE webhook_deliveries AS delivery SET claim = $1, attempt_number = attempt_number + 1,
         next_attempt_at = now() + make_interval(secs => $3)
       FROM taken, webhook_endpoints AS endpoint, webhook_events AS event
       WHERE delivery.id = taken.id AND endpoint.id = delivery.endpoint_id AND event.id = delivery.event_id
       RETURNING delivery.id, delivery.claim, endpoint.id AS "endpointId", endpoint.disabled_at IS NOT NULL AS "isDisabled",
         endpoint.url, endpoint.secret, event.id AS "eventId", event.payload, attempt_number AS "attemptNumber",
         CASE WHEN previous_secret_until > now() THEN previous_secret END AS "previousSecret"`,
      [claim, limit, leaseSeconds, [...exceptEndpoints]],
    );
  },

  /**
   * Stores the outcome of an attempt, unless the claim has ended: the delivery was claimed again or deleted, or its
   * endpoint was disabled. If a user requested the delivery again during the attempt, it restarts immediately with all
   * its attempts, unless the endpoint accepted it.
   */
  async settle(
    source: Queryable,
    { id, claim }: ClaimedDelivery,
    attempt: LoggedAttempt,
    next: NextStep,
  ): Promise<void> {
    await source.query(
      `UPDATE webhook_deliveries SET claim = NULL,
         status = CASE WHEN attempt_number = 0 AND $3 <> 'delivered' THEN 'pending' ELSE $3 END,
         next_attempt_at = now() + make_interval(
           secs => CASE WHEN attempt_number = 0 AND $3 <> 'delivered' THEN 0 ELSE $4::float END),
         attempts = CASE WHEN jsonb_array_length(attempts) < $6 THEN attempts ELSE attempts - 0 END || $5::jsonb
       WHERE id = $1 AND claim = $2`,
      [
        id,
        claim,
        next.kind === 'again' ? 'pending' : next.kind,
        next.kind === 'again' ? next.inSeconds : null,
        JSON.stringify([attempt]),
        MAX_LOGGED_ATTEMPTS,
      ],
    );
  },

  /** Releases a claimed delivery as if it had not been claimed. */
  async release(source: Queryable, { id, claim }: ClaimedDelivery): Promise<void> {
    await source.query(
      `UPDATE webhook_deliveries SET claim = NULL, attempt_number = greatest(attempt_number - 1, 0),
         next_attempt_at = now() WHERE id = $1 AND claim = $2`,
      [id, claim],
    );
  },

  /** Returns the number of open deliveries, and how long the oldest due one has waited. */
  async backlog(source: Queryable): Promise<{ pending: number; overdueSeconds: number }> {
    const [row] = await source.query<{ pending: number; overdue: number | null }>(
      `SELECT count(*) AS pending, extract(epoch FROM now() - min(next_attempt_at))::float AS overdue
       FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL
         AND NOT EXISTS (SELECT FROM webhook_endpoints WHERE id = endpoint_id AND paused_at IS NOT NULL)`,
    );
    return { pending: row?.pending ?? 0, overdueSeconds: Math.max(0, row?.overdue ?? 0) };
  },
};
