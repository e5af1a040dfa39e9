import type { Queryable } from '../../storage/postgres/database.js';
import type { WebhookDelivery } from './webhook-delivery.js';

const SELECT = `SELECT deliveries.id, deliveries.endpoint_id AS "endpointId", deliveries.event_id AS "eventId",
    events.type AS "eventType", deliveries.status, deliveries.attempts, deliveries.next_attempt_at AS "nextAttemptAt",
    deliveries.created_at AS "createdAt"
  FROM webhook_deliveries AS deliveries JOIN webhook_events AS events ON events.id = deliveries.event_id`;

/** All SQL about the log of deliveries. `delivery-queue.ts` has the SQL for sending them. */
export const deliveryRepository = {
  /** Returns a page, newest first, with the total. */
  async listOfEndpoint(
    source: Queryable,
    endpointId: string,
    { page, limit }: { readonly page: number; readonly limit: number },
  ): Promise<{ deliveries: WebhookDelivery[]; total: number }> {
    const rows = await source.query<WebhookDelivery>(
      `${SELECT} WHERE deliveries.endpoint_id = $1 ORDER BY deliveries.created_at DESC, deliveries.id DESC
       LIMIT $2 OFFSET ($3::bigint - 1) * $2::bigint`,
      [endpointId, limit, page],
    );
    const [all] = await source.query<{ count: number }>(
      'SELECT count(*) AS count FROM webhook_deliveries WHERE endpoint_id = $1',
      [endpointId],
    );
    return { deliveries: rows, total: all?.count ?? 0 };
  },

  async findById(source: Queryable, id: string): Promise<WebhookDelivery | undefined> {
    const [row] = await source.query<WebhookDelivery>(`${SELECT} WHERE deliveries.id = $1`, [id]);
    return row;
  },

  /** Makes a delivery due now and gives it all its attempts again. A running attempt ends first. */
  async makeDue(tx: Queryable, id: string): Promise<void> {
    await tx.query(
      `UPDATE webhook_deliveries SET status = 'pending', attempt_number = 0,
         next_attempt_at = CASE WHEN claim IS NULL THEN now() ELSE next_attempt_at END WHERE id = $1`,
      [id],
    );
  },

  /**
   * Deletes events older than `days` with their deliveries, at most `limit` per call. Events with open deliveries stay.
   */
  async deleteOld(
    source: Queryable,
    { days, limit }: { readonly days: number; readonly limit: number },
  ): Promise<number> {
    const rows = await source.query<{ id: string }>(
      `DELETE FROM webhook_events WHERE id IN (
         SELECT id FROM webhook_events WHERE created_at < now() - make_interval(days => $1)
           AND NOT EXISTS (SELECT FROM webhook_deliveries AS deliveries
                           WHERE deliveries.event_id = webhook_events.id AND deliveries.status = 'pending')
         ORDER BY created_at LIMIT $2)
       RETURNING id`,
      [days, limit],
    );
    return rows.length;
  },
};
