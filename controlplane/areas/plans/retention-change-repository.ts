import { UNLIMITED } from '../../plan.js';
import type { Queryable } from '../../storage/postgres/database.js';

export interface RetentionChange {
  readonly userId: string;
  /** Time of the change, to the microsecond. Distinguishes two changes. */
  readonly mark: string;
}

/** All SQL about stored hits that are kept longer than planned at their recording. */
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

  /** Deletes a change that was applied, unless a newer one exists. */
  async settle(source: Queryable, { userId, mark }: RetentionChange): Promise<void> {
    await source.query('DELETE FROM retention_changes WHERE user_id = $1 AND changed_at = $2::timestamptz', [
      userId,
      mark,
    ]);
  },

  /** Stores that hits of the user are kept for this many days, -1 for ever, unless a longer retention is stored. */
  async raise(tx: Queryable, userId: string, days: number): Promise<void> {
    await tx.query(
      `INSERT INTO kept_retentions AS kept (user_id, days) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET days =
         CASE WHEN $3 IN (kept.days, excluded.days) THEN $3 ELSE greatest(kept.days, excluded.days) END`,
      [userId, days, UNLIMITED],
    );
  },

  /**
   * Returns the longest retention of the user's hits; `undefined` if no former plan was longer than the current one.
   */
  async longestOf(source: Queryable, userId: string): Promise<number | undefined> {
    const [row] = await source.query<{ days: number }>(
      'SELECT days FROM kept_retentions WHERE user_id = $1',
      [userId],
    );
    return row?.days;
  },

  async redirectsOf(source: Queryable, userId: string): Promise<string[]> {
    // In two parts, because each has an index.
    const rows = await source.query<{ id: string }>(
      `SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NULL
       UNION ALL SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NOT NULL`,
      [userId],
    );
    return rows.map(({ id }) => id);
  },
};
