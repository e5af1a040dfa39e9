import type { Queryable } from '../../storage/postgres/database.js';

export interface ExcessNotice {
  readonly userId: string;
  readonly appliesAt: Date;
}

const NEVER_PAID = `NOT EXISTS (SELECT FROM transactions WHERE transactions.user_id = users.id
  AND status IN ('succeeded', 'partially_refunded', 'refunded') AND amount > 0)`;

/** All SQL about redirects beyond the plan after an unpaid trial. */
export const excessRepository = {
  /**
   * Users whose trial ended within the last 30 days, who never paid, have more than `moreThan` redirects, and have no notice yet, by id.
   *
   * @param after the last user of the page before
   */
  async findCandidates(
    source: Queryable,
    { moreThan, after, limit }: { readonly moreThan: number; readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      `SELECT id FROM users WHERE id > $2 AND redirect_count > $1 AND ${NEVER_PAID}
         AND EXISTS (SELECT FROM subscriptions WHERE subscriptions.user_id = users.id AND trial_start IS NOT NULL
           AND trial_end > now() - interval '30 days')
         AND NOT EXISTS (SELECT FROM excess_notices WHERE excess_notices.user_id = users.id)
       ORDER BY id LIMIT $3`,
      [moreThan, after, limit],
    );
    return rows.map(({ id }) => id);
  },

  /** Resolves to whether the notice is new. */
  async addNotice(tx: Queryable, { userId, appliesAt }: ExcessNotice, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO excess_notices (user_id, applies_at, checked_at) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [userId, appliesAt, now],
    );
    return rows.length > 0;
  },

  /** Takes the notices that were not looked at since `before`. No other process takes them then. */
  async takeNotices(tx: Queryable, before: Date, now: Date, limit: number): Promise<ExcessNotice[]> {
    return tx.query<ExcessNotice>(
      `WITH due AS MATERIALIZED (SELECT user_id AS due_id FROM excess_notices WHERE checked_at <= $1
         ORDER BY checked_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       UPDATE excess_notices SET checked_at = $2 FROM due WHERE user_id = due_id
       RETURNING user_id AS "userId", applies_at AS "appliesAt"`,
      [before, now, limit],
    );
  },

  async use(tx: Queryable, userId: string): Promise<{ redirects: number; neverPaid: boolean }> {
    const [row] = await tx.query<{ redirects: number; neverPaid: boolean }>(
      `SELECT redirect_count AS redirects, ${NEVER_PAID} AS "neverPaid" FROM users WHERE id = $1`,
      [userId],
    );
    return row ?? { redirects: 0, neverPaid: false };
  },

  /** Switches off what is beyond the limit: verified redirects stay first, then older ones. Resolves to the hosts. */
  async switchOff(tx: Queryable, userId: string, keep: number): Promise<string[]> {
    const rows = await tx.query<{ host: string }>(
      `WITH excess AS MATERIALIZED (SELECT id AS excess_id FROM redirects
         WHERE user_id = $1 AND deleted_at IS NULL AND enabled
         ORDER BY verified_at IS NULL, created_at, id OFFSET $2),
       noted AS (INSERT INTO excess_redirects (redirect_id, user_id) SELECT excess_id, $1 FROM excess
         ON CONFLICT DO NOTHING)
       UPDATE redirects SET enabled = false, updated_at = now(), version = version + 1
       FROM excess WHERE id = excess_id RETURNING from_domain AS host`,
      [userId, keep],
    );
    return rows.map(({ host }) => host);
  },

  /** Switches on again what was switched off, and deletes the notice. Resolves to the hosts. */
  async end(tx: Queryable, userId: string): Promise<string[]> {
    await tx.query('DELETE FROM excess_notices WHERE user_id = $1', [userId]);
    const rows = await tx.query<{ host: string }>(
      `WITH noted AS (DELETE FROM excess_redirects WHERE user_id = $1 RETURNING redirect_id)
       UPDATE redirects SET enabled = true, updated_at = now(), version = version + 1
       FROM noted WHERE id = redirect_id AND NOT enabled RETURNING from_domain AS host`,
      [userId],
    );
    return rows.map(({ host }) => host);
  },
};
