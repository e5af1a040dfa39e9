import type { Queryable } from '../../storage/postgres/database.js';
import type { RequestKey } from '../idempotency.js';

export interface StoredBytes {
  readonly status: number;
  readonly bytes: Buffer;
  readonly etag: string | undefined;
}

export interface IdempotencyRow {
  readonly bodyHash: Buffer;
  /** Absent while the request runs. */
  readonly answer: StoredBytes | undefined;
}

/** Durations are in seconds. */
export interface Lifetimes {
  readonly answerSeconds: number;
  /** Age after which a reservation without an answer counts as abandoned. */
  readonly reservationSeconds: number;
}

/** A reservation without an answer that the request with the holder `$2` has. */
const HELD = 'key_hash = $1 AND holder = $2 AND status IS NULL';

/** All SQL about idempotency keys. */
export const idempotencyRepository = {
  /** Takes a key that is free, abandoned or expired. Of several concurrent callers, one gets it. */
  async take(
    source: Queryable,
    { hash, holder }: RequestKey,
    bodyHash: Buffer,
    { answerSeconds, reservationSeconds }: Lifetimes,
  ): Promise<boolean> {
    const rows = await source.query(
      `INSERT INTO idempotency_keys AS held (key_hash, body_hash, holder) VALUES ($1, $2, $5)
       ON CONFLICT (key_hash) DO UPDATE SET body_hash = EXCLUDED.body_hash, holder = EXCLUDED.holder,
           created_at = now(), status = NULL, answer = NULL, etag = NULL
         WHERE held.created_at < now() - make_interval(secs => CASE WHEN held.status IS NULL THEN $4::int ELSE $3::int END)
       RETURNING 1`,
      [hash, bodyHash, answerSeconds, reservationSeconds, holder],
    );
    return rows.length > 0;
  },

  async find(source: Queryable, keyHash: Buffer): Promise<IdempotencyRow | undefined> {
    const [row] = await source.query<{
      body_hash: Uint8Array;
      status: number | null;
      answer: Uint8Array | null;
      etag: string | null;
    }>('SELECT body_hash, status, answer, etag FROM idempotency_keys WHERE key_hash = $1', [keyHash]);
    if (row === undefined) return undefined;
    const { status, answer, etag } = row;
    return {
      bodyHash: Buffer.from(row.body_hash),
      answer:
        status === null || answer === null
          ? undefined
          : { status, bytes: Buffer.from(answer), etag: etag ?? undefined },
    };
  },

  /** The first answer stays. Resolves to whether this one was stored. */
  async putAnswer(
    source: Queryable,
    { hash, holder }: RequestKey,
    { status, bytes, etag }: StoredBytes,
  ): Promise<boolean> {
    const rows = await source.query(
      `UPDATE idempotency_keys SET status = $3, answer = $4, etag = $5 WHERE ${HELD} RETURNING 1`,
      [hash, holder, status, bytes, etag ?? null],
    );
    return rows.length > 0;
  },

  async renew(source: Queryable, { hash, holder }: RequestKey): Promise<void> {
    await source.query(`UPDATE idempotency_keys SET created_at = now() WHERE ${HELD}`, [hash, holder]);
  },

  async deleteUnanswered(source: Queryable, { hash, holder }: RequestKey): Promise<void> {
    await source.query(`DELETE FROM idempotency_keys WHERE ${HELD}`, [hash, holder]);
  },

  /** Removes at most `limit` rows past their lifetime. Resolves to their number. */
  async deleteExpired(source: Queryable, answerSeconds: number, limit: number): Promise<number> {
    const rows = await source.query(
      `DELETE FROM idempotency_keys WHERE key_hash IN (
         SELECT key_hash FROM idempotency_keys WHERE created_at < now() - make_interval(secs => $1)
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
      [answerSeconds, limit],
    );
    return rows.length;
  },
};
