import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from './redirect.js';
import { COLUMNS, type RedirectRow, toRedirect } from './redirect-rows.js';

/** Time for which a deleted redirect can be restored. */
export const RESTORABLE_DAYS = 30;
const PURGE_INTERVAL_MS = 10 * 60 * 1_000;
/** Redirects per statement. The statement also deletes their rules. */
const PURGED_AT_ONCE = 500;

/** SQL of deletion, restoration and purge. */
export const deletedRedirects = {
  /**
   * Deletes live redirects. Their rows and all rows that refer to them stay, except the states of their proofs. After
   * a restoration, a domain whose proof was missing must be proved again.
   */
  async delete(tx: Queryable, ids: readonly string[]): Promise<void> {
    await tx.query(
      `WITH deleted AS (UPDATE redirects SET deleted_at = now(), verified_at = NULL,
           verified_before_deletion = CASE WHEN NOT EXISTS (SELECT FROM domain_proofs
             WHERE redirect_id = redirects.id AND missing_since IS NOT NULL) THEN verified_at END,
           next_check_at = NULL, updated_at = now(), version = version + 1
         WHERE id = ANY ($1) AND deleted_at IS NULL RETURNING user_id)
       UPDATE users SET redirect_count = redirect_count - counted.redirects
       FROM (SELECT user_id, count(*) AS redirects FROM deleted GROUP BY user_id) AS counted
       WHERE users.id = counted.user_id`,
      [ids],
    );
    await tx.query('DELETE FROM domain_proofs WHERE redirect_id = ANY ($1)', [ids]);
  },

  /** Returns the deleted redirect with this id, with the `verifiedAt` from before the deletion. Locks its row. */
  async findForUpdate(tx: Queryable, id: string): Promise<Redirect | undefined> {
    const [row] = await tx.query<RedirectRow & { readonly verifiedBefore: Date | null }>(
      `SELECT ${COLUMNS}, verified_before_deletion AS "verifiedBefore" FROM redirects
       WHERE id = $1 AND deleted_at > now() - make_interval(days => $2) FOR UPDATE`,
      [id, RESTORABLE_DAYS],
    );
    if (row === undefined) return undefined;
    const { verifiedBefore: verifiedAt, ...others } = row;
    return toRedirect({ ...others, verifiedAt });
  },

  /**
   * Makes deleted redirects of a domain pending, which matters if they are restored. Returns their owners.
   *
   * @param exceptUserId a user whose redirects do not change
   */
  async forgetOwners(tx: Queryable, domain: string, exceptUserId?: string): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }>(
      `UPDATE redirects SET verified_before_deletion = NULL
       WHERE from_domain = $1 AND verified_before_deletion IS NOT NULL AND user_id IS DISTINCT FROM $2 RETURNING user_id`,
      [domain, exceptUserId ?? null],
    );
    return rows.map((row) => row.user_id);
  },

  /**
   * Restores a redirect. It is pending if another user has verified its domain since.
   *
   * @param checkAfterSeconds time until the first background check of a domain that is not verified
   */
  async restore(tx: Queryable, id: string, checkAfterSeconds: number): Promise<Redirect | undefined> {
    const [row] = await tx.query<RedirectRow>(
      `WITH earlier AS (SELECT id AS earlier_id, CASE WHEN NOT EXISTS (SELECT FROM redirects AS other
             WHERE other.from_domain = redirects.from_domain AND other.verified_at IS NOT NULL)
           THEN verified_before_deletion END AS proved_at
         FROM redirects WHERE id = $1),
       restored AS (UPDATE redirects SET deleted_at = NULL, verified_at = proved_at,
           verified_before_deletion = NULL, updated_at = now(), version = version + 1,
           next_check_at = CASE WHEN proved_at IS NULL THEN now() + make_interval(secs => $2) END
         FROM earlier WHERE id = earlier_id AND deleted_at IS NOT NULL RETURNING ${COLUMNS}),
       counted AS (UPDATE users SET redirect_count = redirect_count + 1 FROM restored
         WHERE users.id = restored."userId")
       SELECT * FROM restored`,
      [id, checkAfterSeconds],
    );
    return row && toRedirect(row);
  },

  /** Removes redirects that can no longer be restored, with their rules. Their hits stay. Resolves to their number. */
  async purge(source: Queryable, limit: number): Promise<number> {
    const rows = await source.query(
      `WITH due AS MATERIALIZED (SELECT id AS due_id FROM redirects
         WHERE deleted_at <= now() - make_interval(days => $1) ORDER BY deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED),
       purged AS (DELETE FROM redirects USING due WHERE id = due_id RETURNING id, user_id)
       INSERT INTO purged_redirects (redirect_id, user_id) SELECT id, user_id FROM purged RETURNING redirect_id`,
      [RESTORABLE_DAYS, limit],
    );
    return rows.length;
  },
};

export interface PurgeDeps {
  readonly database: Database;
  readonly logger: Logger;
}

/** Removes deleted redirects when they can no longer be restored. A round resolves to their number. */
export type RedirectPurge = RoundWork<number>;

export function createRedirectPurge({ database, logger }: PurgeDeps): RedirectPurge {
  async function runRound(): Promise<number> {
    let purged = 0;
    for (let last = PURGED_AT_ONCE; last === PURGED_AT_ONCE && !work.isStopping(); purged += last) {
      last = await deletedRedirects.purge(database, PURGED_AT_ONCE);
    }
    if (purged > 0) logger.info({ redirects: purged }, 'redirects deleted long ago were removed');
    return purged;
  }

  const work = createBackgroundWork({
    intervalMs: PURGE_INTERVAL_MS,
    runRound,
    logger,
    failure: 'deleted redirects could not be removed; trying again later',
  });
  return work;
}
