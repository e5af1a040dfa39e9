import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { IntegratorEventType } from './integrator-events.js';

/** URL that receives a user's events. Its secret is read only for signing. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly events: readonly IntegratorEventType[];
  readonly createdAt: Date;
  /** Time at which the endpoint answered 410 and was disabled; `null` while it is active. */
  readonly disabledAt: Date | null;
  /** Whether its owner has paused it. Its messages then wait. */
  readonly isPaused: boolean;
}

const COLUMNS = `${asMembers('id, user_id, url, events, created_at, disabled_at')},
  paused_at IS NOT NULL AS "isPaused"`;

export interface NewEndpoint extends Omit<WebhookEndpoint, 'createdAt' | 'disabledAt' | 'isPaused'> {
  readonly encryptedSecret: Buffer;
}

/** All SQL about endpoints, except finding those that receive an event. */
export const endpointRepository = {
  /** Makes transactions that add endpoints of this user wait for each other. The lock ends with the transaction. */
  async lockUser(tx: Queryable, userId: string): Promise<void> {
    await tx.query('SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  },

  async insert(tx: Queryable, endpoint: NewEndpoint): Promise<WebhookEndpoint> {
    const [row] = await tx.query<WebhookEndpoint>(
      `INSERT INTO webhook_endpoints (id, user_id, url, events, secret) VALUES ($1, $2, $3, $4, $5)
       RETURNING ${COLUMNS}`,
      [endpoint.id, endpoint.userId, endpoint.url, [...endpoint.events], endpoint.encryptedSecret],
    );
    if (row === undefined) throw new Error('an insertion returned no row');
    return row;
  },

  async findById(source: Queryable, id: string): Promise<WebhookEndpoint | undefined> {
    const [row] = await source.query<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = $1`,
      [id],
    );
    return row;
  },

  /** Returns the endpoints of a user, newest first. */
  async listOfUser(source: Queryable, userId: string): Promise<WebhookEndpoint[]> {
    const rows = await source.query<WebhookEndpoint>(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE user_id = $1 ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows;
  },

  async countOfUser(source: Queryable, userId: string): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      'SELECT count(*) AS count FROM webhook_endpoints WHERE user_id = $1',
      [userId],
    );
    return row?.count ?? 0;
  },

  /** Changes the URL, the types of events and the pause. Enables a disabled endpoint. */
  async update(
    tx: Queryable,
    id: string,
    { url, events, isPaused }: Pick<WebhookEndpoint, 'url' | 'events' | 'isPaused'>,
  ): Promise<WebhookEndpoint | undefined> {
    const [row] = await tx.query<WebhookEndpoint>(
      `UPDATE webhook_endpoints SET url = $2, events = $3, disabled_at = NULL,
         paused_at = CASE WHEN $4 THEN coalesce(paused_at, now()) END
       WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, url, [...events], isPaused],
    );
    return row;
  },

  /** Replaces the secret. For some hours, messages are signed with the old one too. */
  async rotateSecret(tx: Queryable, id: string, encrypted: Buffer, overlapHours: number): Promise<void> {
    await tx.query(
      `UPDATE webhook_endpoints SET previous_secret = secret, secret = $2,
         previous_secret_until = now() + make_interval(hours => $3) WHERE id = $1`,
      [id, encrypted, overlapHours],
    );
  },

  /**
   * Returns a page of endpoints by id, with their encrypted secrets: the current one, and the one before a rotation.
   */
  async secretsAfter(
    source: Queryable,
    afterId: string,
    limit: number,
  ): Promise<{ id: string; secrets: Buffer[] }[]> {
    const rows = await source.query<{ id: string; secret: Buffer; previous: Buffer | null }>(
      `SELECT id, secret, previous_secret AS previous FROM webhook_endpoints WHERE id > $1 ORDER BY id LIMIT $2`,
      [afterId, limit],
    );
    return rows.map(({ id, secret, previous }) => ({
      id,
      secrets: [secret, ...(previous === null ? [] : [previous])],
    }));
  },

  /**
   * Replaces the encrypted secret `before`, also if a rotation has moved it to the previous secret. Resolves to whether
   * it was found.
   */
  async replaceSecret(source: Queryable, id: string, before: Buffer, after: Buffer): Promise<boolean> {
    const rows = await source.query(
      `UPDATE webhook_endpoints SET secret = CASE WHEN secret = $2 THEN $3 ELSE secret END,
         previous_secret = CASE WHEN previous_secret = $2 THEN $3 ELSE previous_secret END
       WHERE id = $1 AND (secret = $2 OR previous_secret = $2) RETURNING 1`,
      [id, before, after],
    );
    return rows.length > 0;
  },

  /** Disables the endpoint. Its open deliveries end, and it gets no new events. */
  async disable(source: Queryable, id: string): Promise<void> {
    await source.query(
      `WITH disabled AS (UPDATE webhook_endpoints SET disabled_at = now() WHERE id = $1 AND disabled_at IS NULL)
       UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, claim = NULL
       WHERE endpoint_id = $1 AND status = 'pending'`,
      [id],
    );
  },

  /** Enables the endpoint. */
  async enable(source: Queryable, id: string): Promise<void> {
    await source.query(
      'UPDATE webhook_endpoints SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL',
      [id],
    );
  },

  async delete(tx: Queryable, id: string): Promise<void> {
    await tx.query('DELETE FROM webhook_endpoints WHERE id = $1', [id]);
  },
};
