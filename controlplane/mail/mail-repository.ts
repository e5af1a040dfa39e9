import type { Queryable } from '../storage/postgres/database.js';

export interface StoredMail {
  readonly id: string;
  readonly content: Buffer;
  /** Attempts so far, this one included. */
  readonly attempts: number;
  readonly createdAt: Date;
}

/** All SQL about mails. */
export const mailRepository = {
  async insert(tx: Queryable, id: string, content: Buffer): Promise<void> {
    await tx.query('INSERT INTO mails (id, content) VALUES ($1, $2)', [id, content]);
  },

  /**
   * Takes mails that are due, and makes each due again after a pause that doubles with every attempt. The first pause is
   * longer than a slow SMTP dialogue, so that another process does not send the same mail meanwhile.
   */
  async take(source: Queryable, limit: number): Promise<StoredMail[]> {
    const rows = await source.query<{ id: string; content: Uint8Array; attempts: number; created_at: Date }>(
      `WITH due AS MATERIALIZED (SELECT id AS due_id FROM mails WHERE next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       UPDATE mails SET attempts = attempts + 1,
         next_attempt_at = now() + make_interval(secs => least(120 * power(2, attempts), 3600))
       FROM due WHERE id = due_id
       RETURNING id, content, attempts, created_at`,
      [limit],
    );
    return rows.map(({ id, content, attempts, created_at: createdAt }) => ({
      id,
      content: Buffer.from(content),
      attempts,
      createdAt,
    }));
  },

  async delete(source: Queryable, id: string): Promise<void> {
    await source.query('DELETE FROM mails WHERE id = $1', [id]);
  },
};
