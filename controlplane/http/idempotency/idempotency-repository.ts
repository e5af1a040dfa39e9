import type { Queryable } from '../../storage/postgres/database.js';

export interface IdempotencyRow {
  readonly bodyHash: Buffer;
  /** Absent while the request is being answered. */
  readonly answer: { readonly status: number; readonly bytes: Buffer } | undefined;
}

/** Durations are in seconds. */
export interface Lifetimes {
  readonly answerSeconds: number;
  /** After which a reservation without an answer counts as abandoned. */
  readonly reservationSeconds: number;
}

/** All SQL about idempotency keys. */
export const idempotencyRepository = {
  /** Takes a key that is free, abandoned or expired. Of several concurrent callers, one gets it. */
  async take(
    source: Queryable,
    { keyHash, bodyHash }: { keyHash: Buffer; bodyHash: Buffer },
    { answerSeconds, reservationSeconds }: Lifetimes,
  ): Promise<boolean> {
    const rows = await source.query(
      `INSERT INTO idempotency_keys AS held (key_hash, body_hash) VALUES ($1, $2)
       ON CONFLICT (key_hash) DO UPDATE
         SET body_hash = EXCLUDED.body_hash, created_at = now(), status = NULL, answer = NULL
         WHERE held.created_at < now() - make_interval(secs => CASE WHEN held.status IS NULL THEN $4::int ELSE $3::int END)
       RETURNING 1`,
      [keyHash, bodyHash, answerSeconds, reservationSeconds],
    );
    return rows.length > 0;
  },

  async find(source: Queryable, keyHash: Buffer): Promise<IdempotencyRow | undefined> {
    const [row] = await source.query<{
      body_hash: Uint8Array;
      status: number | null;
      answer: Uint8Array | null;
    }>('SELECT body_hash, status, answer FROM idempotency_keys WHERE key_hash = $1', [keyHash]);
    if (row === undefined) return undefined;
    const { status, answer } = row;
    return {
      bodyHash: Buffer.from(row.body_hash),
      answer: status === null || answer === null ? undefined : { status, bytes: Buffer.from(answer) },
    };
  },

  /** The first answer stays. Resolves to whether this one is kept. */
  async putAnswer(
    source: Queryable,
    keyHash: Buffer,
    { status, bytes }: { status: number; bytes: Buffer },
  ): Promise<boolean> {
    const rows = await source.query(
      `UPDATE idempotency_keys SET status = $2, answer = $3
       WHERE key_hash = $1 AND status IS NULL RETURNING 1`,
      [keyHash, status, bytes],
    );
    return rows.length > 0;
  },

  async renew(source: Queryable, keyHash: Buffer): Promise<void> {
    await source.query(
      'UPDATE idempotency_keys SET created_at = now() WHERE key_hash = $1 AND status IS NULL',
      [keyHash],
    );
  },

  async deleteUnanswered(source: Queryable, keyHash: Buffer): Promise<void> {
    await source.query('DELETE FROM idempotency_keys WHERE key_hash = $1 AND status IS NULL', [keyHash]);
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
