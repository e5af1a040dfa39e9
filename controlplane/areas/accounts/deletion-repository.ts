import type { Queryable } from '../../storage/postgres/database.js';

/** Lease of a claim. Longer than the erasure of a batch of redirects. */
const CLAIM = "interval '10 minutes'";

/** All SQL about accounts that wait for their erasure. */
export const deletionRepository = {
  /**
   * Resolves to the time of the erasure. A repeated request changes nothing.
   *
   * @param subscription subscription to cancel
   */
  async request(
    tx: Queryable,
    {
      userId,
      graceDays,
      subscription,
    }: {
      readonly userId: string;
      readonly graceDays: number;
      readonly subscription: string | undefined;
    },
  ): Promise<{ eraseAt: Date; isNew: boolean }> {
    // Only an inserted row has no `xmax`.
    const [row] = await tx.query<{ erase_at: Date; is_new: boolean }>(
      `INSERT INTO account_deletions (user_id, erase_at, subscription_cancels, cancel_due)
       VALUES ($1, now() + make_interval(days => $2), $3::text, $3::text IS NOT NULL)
       ON CONFLICT (user_id) DO UPDATE SET erase_at = account_deletions.erase_at
       RETURNING erase_at, xmax = 0 AS is_new`,
      [userId, graceDays, subscription ?? null],
    );
    if (row === undefined) throw new Error('an insertion returned no row');
    return { eraseAt: row.erase_at, isNew: row.is_new };
  },

  /** Returns users whose subscriptions are not cancelled yet, the oldest requests first. */
  async cancelsDue(source: Queryable, limit: number): Promise<string[]> {
    const rows = await source.query<{ user_id: string }>(
      'SELECT user_id FROM account_deletions WHERE cancel_due ORDER BY requested_at LIMIT $1',
      [limit],
    );
    return rows.map((row) => row.user_id);
  },

  /** Resolves to whether the account still waits for its erasure. */
  async cancelDone(source: Queryable, userId: string): Promise<boolean> {
    const rows = await source.query(
      'UPDATE account_deletions SET cancel_due = false WHERE user_id = $1 RETURNING 1',
      [userId],
    );
    return rows.length > 0;
  },

  /** Resolves to the state of the subscription's cancellation for a pending deletion: none, not yet made, or done. */
  async cancellation(source: Queryable, userId: string): Promise<'none' | 'due' | 'done'> {
    const [row] = await source.query<{ cancellation: 'none' | 'due' | 'done' }>(
      `SELECT CASE WHEN subscription_cancels IS NULL THEN 'none' WHEN cancel_due THEN 'due' ELSE 'done' END AS cancellation
       FROM account_deletions WHERE user_id = $1 AND erase_at > now()`,
      [userId],
    );
    return row?.cancellation ?? 'none';
  },

  /** Resolves to whether the account waited for its erasure, which has not begun. */
  async takeBack(tx: Queryable, userId: string): Promise<boolean> {
    const rows = await tx.query(
      'DELETE FROM account_deletions WHERE user_id = $1 AND erase_at > now() RETURNING 1',
      [userId],
    );
    return rows.length > 0;
  },

  /**
   * Claims an account that is due. No other process gets it until the claim is released or expires.
   *
   * @param last accounts to take after all others, because an earlier attempt failed
   * @param except accounts to skip
   */
  async claimDue(
    source: Queryable,
    { last, except }: { readonly last: readonly string[]; readonly except: readonly string[] },
  ): Promise<string | undefined> {
    const [row] = await source.query<{ user_id: string }>(
      `WITH due AS MATERIALIZED (
         SELECT user_id FROM account_deletions WHERE erase_at <= now() AND user_id <> ALL ($2) AND NOT EXISTS (
           SELECT FROM account_erasure_claims AS claim
           WHERE claim.user_id = account_deletions.user_id AND claimed_until > now())
         ORDER BY user_id = ANY ($1), erase_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       INSERT INTO account_erasure_claims AS claim (user_id, claimed_until)
       SELECT user_id, now() + ${CLAIM} FROM due
       ON CONFLICT (user_id) DO UPDATE SET claimed_until = EXCLUDED.claimed_until WHERE claim.claimed_until <= now()
       RETURNING user_id`,
      [[...last], [...except]],
    );
    return row?.user_id;
  },

  async renewClaim(source: Queryable, userId: string): Promise<void> {
    await source.query(
      `UPDATE account_erasure_claims SET claimed_until = now() + ${CLAIM} WHERE user_id = $1`,
      [userId],
    );
  },

  async releaseClaim(source: Queryable, userId: string): Promise<void> {
    await source.query('DELETE FROM account_erasure_claims WHERE user_id = $1', [userId]);
  },

  /** Returns redirects with remaining data: live, deleted, or removed with hits. */
  async someRedirects(source: Queryable, userId: string, limit: number): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      `(SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NULL LIMIT $2)
       UNION ALL (SELECT id FROM redirects WHERE user_id = $1 AND deleted_at IS NOT NULL LIMIT $2)
       UNION ALL (SELECT redirect_id FROM purged_redirects WHERE user_id = $1 LIMIT $2) LIMIT $2`,
      [userId, limit],
    );
    return rows.map(({ id }) => id);
  },

  /** Deletes redirects of an account. Resolves to the published hosts and keys of pages of paths. */
  async deleteRedirects(tx: Queryable, redirectIds: readonly string[]): Promise<string[]> {
    await tx.query('DELETE FROM purged_redirects WHERE redirect_id = ANY ($1)', [redirectIds]);
    const pages = await tx.query<{ key: string }>(
      `DELETE FROM path_pages USING redirects
       WHERE redirects.id = redirect_id AND redirect_id = ANY ($1) AND verified_at IS NOT NULL RETURNING key`,
      [redirectIds],
    );
    const rows = await tx.query<{ host: string; is_published: boolean }>(
      `DELETE FROM redirects WHERE id = ANY ($1)
       RETURNING from_domain AS host, verified_at IS NOT NULL AS is_published`,
      [redirectIds],
    );
    const hosts = rows.filter((row) => row.is_published).map(({ host }) => host);
    return [...hosts, ...pages.map(({ key }) => key)];
  },

  /** Deletes an account that is due, with everything that refers to it. */
  async deleteUser(tx: Queryable, userId: string): Promise<void> {
    await tx.query(
      `DELETE FROM users WHERE id = $1
         AND EXISTS (SELECT FROM account_deletions WHERE user_id = $1 AND erase_at <= now())`,
      [userId],
    );
  },
};
