import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';

/** The types of events that integrators can hear of. `billing/announcements.ts` says when those of billing are sent. */
export const INTEGRATOR_EVENT_TYPES = [
  'subscription.confirmed',
  'subscription.canceled',
  'subscription.revoked',
  'payment.failed',
  'payment.disputed',
  'payment.dispute_closed',
  'domain.verified',
  'domain.proof_missing',
  'domain.unverified',
  'redirect.taken_down',
  'certificate.issued',
  'certificate.failed',
  'certificate.expiring',
  'redirect.created',
  'redirect.updated',
  'redirect.deleted',
  'rule.created',
  'rule.updated',
  'rule.deleted',
  'usage.approaching_limit',
  'usage.limit_reached',
  'plan.excess_redirects',
  'import.finished',
  'destination.broken',
  'destination.recovered',
  'draft.failed',
] as const;

/** Type of the message that `POST /webhook-endpoints/{id}/test` sends, whatever the endpoint subscribes to. */
export const TEST_EVENT_TYPE = 'webhook.test';

export type IntegratorEventType = (typeof INTEGRATOR_EVENT_TYPES)[number];

/** Content of the event as JSON. */
export type IntegratorEventData = Readonly<Record<string, unknown>>;

/**
 * Tells the user's endpoints for this type of event what happened: stores the event and a delivery for each of
 * them in the caller's transaction, so that it is told exactly when it is committed. Sending follows by itself.
 *
 * @param data is kept as it is now and sent as the member `data` of the message
 */
export function emit(
  tx: Queryable,
  userId: string,
  type: IntegratorEventType,
  data: IntegratorEventData,
): Promise<void> {
  return emitMany(tx, userId, type, () => [data]);
}

/**
 * Does what `emit` does for several events of one type, with as many statements as for one.
 *
 * @param data is called if an endpoint wants the events
 */
export async function emitMany(
  tx: Queryable,
  userId: string,
  type: IntegratorEventType,
  data: () => readonly IntegratorEventData[],
): Promise<void> {
  // The lock keeps an endpoint from being deleted under the deliveries, which would fail the caller's work.
  const endpoints = await tx.query<{ id: string }>(
    `SELECT id FROM webhook_endpoints WHERE user_id = $1 AND $2 = ANY (events) AND disabled_at IS NULL
     ORDER BY id FOR KEY SHARE`,
    [userId, type],
  );
  if (endpoints.length === 0) return;
  const timestamp = new Date().toISOString();
  const events = data().map((one) => {
    const id = `evt_${newId()}`;
    return { id, payload: JSON.stringify({ id, type, timestamp, data: one }) };
  });
  await tx.query(
    `INSERT INTO webhook_events (id, user_id, type, payload)
     SELECT id, $1, $2, payload FROM unnest($3::text[], $4::text[]) AS new (id, payload)`,
    [userId, type, events.map(({ id }) => id), events.map(({ payload }) => payload)],
  );
  const deliveries = events.flatMap(({ id }) =>
    endpoints.map((endpoint) => ({ id: newId(), eventId: id, endpointId: endpoint.id })),
  );
  await tx.query(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint_id)
     SELECT delivery_id, event_id, endpoint_id
     FROM unnest($1::text[], $2::text[], $3::text[]) AS new (delivery_id, event_id, endpoint_id)`,
    [
      deliveries.map(({ id }) => id),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ endpointId }) => endpointId),
    ],
  );
}

/** Stores a test message to one endpoint. Resolves to the id of its delivery. */
export async function emitTest(tx: Queryable, userId: string, endpointId: string): Promise<string> {
  const [eventId, deliveryId] = [`evt_${newId()}`, newId()];
  const data = { endpointId, message: 'This is a test message.' };
  const timestamp = new Date().toISOString();
  await tx.query('INSERT INTO webhook_events (id, user_id, type, payload) VALUES ($1, $2, $3, $4)', [
    eventId,
    userId,
    TEST_EVENT_TYPE,
    JSON.stringify({ id: eventId, type: TEST_EVENT_TYPE, timestamp, data }),
  ]);
  await tx.query('INSERT INTO webhook_deliveries (id, event_id, endpoint_id) VALUES ($1, $2, $3)', [
    deliveryId,
    eventId,
    endpointId,
  ]);
  return deliveryId;
}
