import type { Queryable } from '../database/database.js';

export interface RetentionChange {
  readonly userId: string;
  /** Tells one change from a later one, to the microsecond. */
  readonly mark: string;
}

/** All SQL about users whose stored hits are yet to be kept as a changed plan says. */
export const retentionChangeRepository = {
  async note(tx: Queryable, userId: string): Promise<void> {
    await tx.query(
      `INSERT INTO retention_changes (user_id) VALUES ($1)
       ON CONFLICT (user_id) DO UPDATE SET changed_at = excluded.changed_at`,
      [userId],
    );
  },

  async list(source: Queryable, limit: number): Promise<RetentionChange[]> {
    return source.query<RetentionChange>(
      `SELECT user_id AS "userId", changed_at::text AS mark FROM retention_changes ORDER BY changed_at LIMIT $1`,
      [limit],
    );
  },

  /** Forgets a change that has been made, unless there was another one since. */
  async settle(source: Queryable, { userId, mark }: RetentionChange): Promise<void> {
    await source.query('DELETE FROM retention_changes WHERE user_id = $1 AND changed_at = $2::timestamptz', [
      userId,
      mark,
    ]);
  },

  async redirectsOf(source: Queryable, userId: string): Promise<string[]> {
    const rows = await source.query<{ id: string }>('SELECT id FROM redirects WHERE user_id = $1', [userId]);
    return rows.map(({ id }) => id);
  },
};
