import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';

/** The types of events that endpoints can subscribe to. `billing/billing-events.ts` sends the billing events. */
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

/** Type of the message that `POST /webhook-endpoints/{id}/test` sends. Endpoints get it without a subscription. */
export const TEST_EVENT_TYPE = 'webhook.test';

export type IntegratorEventType = (typeof INTEGRATOR_EVENT_TYPES)[number];

/** Content of the event as JSON. */
export type IntegratorEventData = Readonly<Record<string, unknown>>;

/**
 * Sends an event to the user's endpoints for its type. Stores the event and a delivery for each endpoint in the
 * caller's transaction. If it does not commit, nothing is sent.
 *
 * @param data is serialized before this call returns, and sent as the member `data` of the message
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
 * Does the same as `emit` for several events of one type, with as many statements as for one event.
 *
 * @param data is called if an endpoint wants the events
 */
export async function emitMany(
  tx: Queryable,
  userId: string,
  type: IntegratorEventType,
  data: () => readonly IntegratorEventData[],
): Promise<void> {
  const endpoints = await lockEndpoints(tx, [userId], [type]);
  if (endpoints.length === 0) return;
  await store(
    tx,
    data().map((one) => ({ userId, type, data: one, endpoints })),
  );
}

/** An event of one of several users. */
export interface UserEvent {
  readonly userId: string;
  readonly type: IntegratorEventType;
  /** Creates the data of the event. Called only if an endpoint wants the event. */
  readonly data: () => IntegratorEventData;
}

/** Does the same as `emit` for events of any users, with as many statements as for one event. */
export async function emitAll(tx: Queryable, events: readonly UserEvent[]): Promise<void> {
  const userIds = [...new Set(events.map(({ userId }) => userId))];
  const types = [...new Set(events.map(({ type }) => type))];
  const endpoints = await lockEndpoints(tx, userIds, types);
  if (endpoints.length === 0) return;
  const wanted = events.flatMap(({ userId, type, data }) => {
    const takers = endpoints.filter((one) => one.user_id === userId && one.events.includes(type));
    return takers.length === 0 ? [] : [{ userId, type, data: data(), endpoints: takers }];
  });
  if (wanted.length > 0) await store(tx, wanted);
}

/**
 * Resolves to whether an endpoint wants events of one of the types. An endpoint that is added afterwards does not get
 * the events of this transaction. The request that creates it gets its answer after this transaction has ended.
 */
export async function findWhetherTaken(
  tx: Queryable,
  userIds: readonly string[],
  types: readonly IntegratorEventType[],
): Promise<boolean> {
  const [row] = await tx.query<{ is_taken: boolean }>(
    `SELECT EXISTS (SELECT FROM webhook_endpoints
       WHERE user_id = ANY ($1::text[]) AND events && $2::text[] AND disabled_at IS NULL) AS is_taken`,
    [userIds, types],
  );
  return row?.is_taken === true;
}

interface EndpointRow {
  readonly id: string;
  readonly user_id: string;
  readonly events: readonly string[];
}

/**
 * Returns the endpoints that want events of one of the types. The lock prevents other transactions from deleting them.
 * A deletion would make the caller's transaction fail.
 */
function lockEndpoints(
  tx: Queryable,
  userIds: readonly string[],
  types: readonly IntegratorEventType[],
): Promise<EndpointRow[]> {
  return tx.query<EndpointRow>(
    `SELECT id, user_id, events FROM webhook_endpoints
     WHERE user_id = ANY ($1::text[]) AND events && $2::text[] AND disabled_at IS NULL ORDER BY id FOR KEY SHARE`,
    [userIds, types],
  );
}

interface StoredEvent {
  readonly userId: string;
  readonly type: IntegratorEventType | typeof TEST_EVENT_TYPE;
  readonly data: IntegratorEventData;
  readonly endpoints: readonly Pick<EndpointRow, 'id'>[];
}

/** Stores events, and a delivery of each to its endpoints. Resolves to the ids of the deliveries. */
async function store(tx: Queryable, wanted: readonly StoredEvent[]): Promise<string[]> {
  const timestamp = new Date().toISOString();
  const events = wanted.map(({ type, data, ...event }) => {
    const id = `evt_${newId()}`;
    return { ...event, id, type, payload: JSON.stringify({ id, type, timestamp, data }) };
  });
  await tx.query(
    `INSERT INTO webhook_events (id, user_id, type, payload)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
    [
      events.map(({ id }) => id),
      events.map(({ userId }) => userId),
      events.map(({ type }) => type),
      events.map(({ payload }) => payload),
    ],
  );
  const deliveries = events.flatMap(({ id, endpoints }) =>
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
  return deliveries.map(({ id }) => id);
}

/** Stores a test message to one endpoint. Resolves to the id of its delivery. */
export async function emitTest(tx: Queryable, userId: string, endpointId: string): Promise<string> {
  const data = { endpointId, message: 'This is a test message.' };
  const event = { userId, type: TEST_EVENT_TYPE, data, endpoints: [{ id: endpointId }] } as const;
  const [deliveryId = ''] = await store(tx, [event]);
  return deliveryId;
}
