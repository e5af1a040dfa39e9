import type { Queryable } from '../../storage/postgres/database.js';

export interface ExcessNotice {
  readonly userId: string;
  readonly appliesAt: Date;
}

/** A redirect that was switched off or on. */
export interface SwitchedRedirect {
  readonly id: string;
  readonly host: string;
  readonly version: number;
}

const NEVER_PAID = `NOT EXISTS (SELECT FROM transactions WHERE transactions.user_id = users.id
  AND status IN ('succeeded', 'partially_refunded', 'refunded') AND amount > 0)`;

/** All SQL about redirects beyond the plan after an unpaid trial. */
export const excessRepository = {
  /**
   * Returns users who never paid, whose trial ended within the last 30 days, and who have more than `moreThan`
   * redirects and no notice yet. Ordered by id.
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

  /** Locks a notice that was not checked since `before`. No other process gets it until the transaction ends. */
  async takeNotice(tx: Queryable, before: Date, now: Date): Promise<ExcessNotice | undefined> {
    const [notice] = await tx.query<ExcessNotice>(
      `WITH due AS MATERIALIZED (SELECT user_id AS due_id FROM excess_notices WHERE checked_at <= $1
         ORDER BY checked_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       UPDATE excess_notices SET checked_at = $2 FROM due WHERE user_id = due_id
       RETURNING user_id AS "userId", applies_at AS "appliesAt"`,
      [before, now],
    );
    return notice;
  },

  /** Locks the notice of a user until the transaction ends. Resolves to whether there is one. */
  async lockNotice(tx: Queryable, userId: string): Promise<boolean> {
    const rows = await tx.query('SELECT FROM excess_notices WHERE user_id = $1 FOR UPDATE', [userId]);
    return rows.length > 0;
  },

  /**
   * Makes notices to a user and changes of the plan wait for each other until the transaction ends. Does not lock the
   * user's row: a deletion of redirects locks it after the rows of the redirects, so a deadlock would be possible.
   */
  async lockUser(tx: Queryable, userId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`excess:${userId}`]);
  },

  async use(tx: Queryable, userId: string): Promise<{ redirects: number; neverPaid: boolean }> {
    const [row] = await tx.query<{ redirects: number; neverPaid: boolean }>(
      `SELECT redirect_count AS redirects, ${NEVER_PAID} AS "neverPaid" FROM users WHERE id = $1`,
      [userId],
    );
    return row ?? { redirects: 0, neverPaid: false };
  },

  /** Switches off the redirects beyond the limit. Keeps verified redirects first, then older ones. */
  switchOff(tx: Queryable, userId: string, keep: number): Promise<SwitchedRedirect[]> {
    return tx.query<SwitchedRedirect>(
      `WITH excess AS MATERIALIZED (SELECT id AS excess_id FROM redirects WHERE id IN (
           SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NULL AND enabled
           ORDER BY verified_at IS NULL, created_at, id OFFSET $2)
         ORDER BY id FOR UPDATE),
       noted AS (INSERT INTO excess_redirects (redirect_id, user_id) SELECT excess_id, $1 FROM excess
         ON CONFLICT DO NOTHING)
       UPDATE redirects SET enabled = false, updated_at = now(), version = version + 1
       FROM excess WHERE id = excess_id RETURNING id, from_domain AS host, version`,
      [userId, keep],
    );
  },

  /** Switches the redirects on again that were switched off, and deletes the notice. */
  async end(tx: Queryable, userId: string): Promise<SwitchedRedirect[]> {
    await tx.query('DELETE FROM excess_notices WHERE user_id = $1', [userId]);
    return tx.query<SwitchedRedirect>(
      `WITH noted AS (DELETE FROM excess_redirects WHERE user_id = $1 RETURNING redirect_id),
       locked AS MATERIALIZED (SELECT id AS locked_id FROM redirects
         WHERE id IN (SELECT redirect_id FROM noted) AND NOT enabled ORDER BY id FOR UPDATE)
       UPDATE redirects SET enabled = true, updated_at = now(), version = version + 1
       FROM locked WHERE id = locked_id RETURNING id, from_domain AS host, version`,
      [userId],
    );
  },
};
