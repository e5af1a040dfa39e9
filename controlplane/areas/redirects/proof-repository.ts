import type { Queryable } from '../../storage/postgres/database.js';

/** A verified redirect whose proof is due for a check. */
export interface DueProof {
  readonly redirectId: string;
  readonly userId: string;
  readonly domain: string;
  readonly verificationValue: string;
  readonly missingSince: Date | null;
}

/** All SQL about the proofs of verified domains. */
export const proofRepository = {
  /** Adds verified domains that have no row yet, each due at a random time of the next day. Resolves to the last domain. */
  async sweep(source: Queryable, afterDomain: string, limit: number): Promise<string | undefined> {
    const [row] = await source.query<{ last: string | null }>(
      `WITH page AS (SELECT id, from_domain FROM redirects
         WHERE verified_at IS NOT NULL AND from_domain > $1 ORDER BY from_domain LIMIT $2),
       added AS (INSERT INTO domain_proofs (redirect_id, next_check_at)
         SELECT id, now() + random() * interval '1 day' FROM page WHERE from_domain NOT LIKE '%.localhost'
         ON CONFLICT DO NOTHING)
       SELECT max(from_domain) AS last FROM page`,
      [afterDomain, limit],
    );
    return row?.last ?? undefined;
  },

  /** Takes due proofs, and makes each due again after `retryHours`. Until then no other process takes it. */
  async takeDue(source: Queryable, limit: number, retryHours: number): Promise<DueProof[]> {
    return source.query<DueProof>(
      `WITH due AS MATERIALIZED (
         SELECT redirect_id AS due_id FROM domain_proofs WHERE next_check_at <= now() ORDER BY next_check_at LIMIT $1
         FOR UPDATE SKIP LOCKED)
       UPDATE domain_proofs SET next_check_at = now() + make_interval(secs => 3600 * $2 * (0.8 + 0.4 * random()))
       FROM redirects, due WHERE redirect_id = due_id AND redirects.id = due_id
       RETURNING redirects.id AS "redirectId", user_id AS "userId", from_domain AS domain,
         verification_value AS "verificationValue", missing_since AS "missingSince"`,
      [limit, retryHours],
    );
  },

  /** Stores that the proof was found. The next check is due after `hours`. */
  async markFound(source: Queryable, redirectId: string, hours: number): Promise<void> {
    await source.query(
      `INSERT INTO domain_proofs (redirect_id, decided_at, next_check_at)
       VALUES ($1, now(), now() + make_interval(secs => 3600 * $2 * (0.8 + 0.4 * random())))
       ON CONFLICT (redirect_id) DO UPDATE
         SET decided_at = now(), missing_since = NULL, next_check_at = EXCLUDED.next_check_at`,
      [redirectId, hours],
    );
  },

  /**
   * Stores that the proof is missing. Resolves to the time since which it is missing, and to whether it was found
   * before.
   */
  async markMissing(
    tx: Queryable,
    redirectId: string,
    hours: number,
  ): Promise<{ since: Date; isNew: boolean } | undefined> {
    const [row] = await tx.query<{ since: Date; isNew: boolean }>(
      `UPDATE domain_proofs SET decided_at = now(), missing_since = coalesce(missing_since, now()),
         next_check_at = now() + make_interval(secs => 3600 * $2 * (0.8 + 0.4 * random()))
       WHERE redirect_id = $1 RETURNING missing_since AS since, missing_since = now() AS "isNew"`,
      [redirectId, hours],
    );
    return row;
  },

  /** Makes the proofs of the domains' owners due now, unless DNS gave a certain answer within the last hour. */
  async hasten(source: Queryable, domains: readonly string[]): Promise<void> {
    await source.query(
      `UPDATE domain_proofs SET next_check_at = now() FROM redirects
       WHERE redirects.id = redirect_id AND from_domain = ANY($1) AND verified_at IS NOT NULL
         AND (decided_at IS NULL OR decided_at < now() - interval '1 hour')`,
      [domains],
    );
  },

  async delete(tx: Queryable, redirectId: string): Promise<void> {
    await tx.query('DELETE FROM domain_proofs WHERE redirect_id = $1', [redirectId]);
  },
};
