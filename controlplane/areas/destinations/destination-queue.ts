import type { Queryable } from '../../storage/postgres/database.js';
import type { CheckResult, NextStanding, Standing } from './check-result.js';

/** Maximum number of users that one claim reads. */
const USERS_PER_CLAIM = 200;

/** A site to which this process may send requests while its claim lasts. */
export interface ClaimedSite {
  readonly site: string;
  readonly userId: string;
  readonly claim: string;
}

export interface DueDestination extends Standing {
  readonly id: number;
  readonly url: string;
}

export interface ClaimOptions {
  /** Different in each claim of each process. */
  readonly claim: string;
  readonly limit: number;
  readonly perUser: number;
  /** Duration of a claim. Afterwards another process may take the site. */
  readonly leaseSeconds: number;
  /** Users after this one are taken first. */
  readonly afterUserId: string;
  /** Users who have enough checks under way. */
  readonly exceptUsers: readonly string[];
}

/** All SQL about the queue of checks. Several control planes share it: row locks and leases keep them apart. */
export const destinationQueue = {
  /** Resolves to whether any site is due. */
  async isAnyDue(source: Queryable): Promise<boolean> {
    const rows = await source.query('SELECT FROM destination_sites WHERE next_turn_at <= now() LIMIT 1');
    return rows.length > 0;
  },

  /**
   * Claims due sites. Users take turns.
   *
   * @returns the last user who was looked at; empty after all users
   */
  async claim(
    source: Queryable,
    options: ClaimOptions,
  ): Promise<{ readonly sites: ClaimedSite[]; readonly lastUserId: string }> {
    const users = await source.query<{ user_id: string; is_due: boolean }>(
      `WITH RECURSIVE some_users (user_id, number) AS (
         (SELECT user_id, 1 FROM destination_sites WHERE user_id > $1 ORDER BY user_id LIMIT 1)
         UNION ALL
         SELECT next.user_id, number + 1 FROM some_users, LATERAL (SELECT user_id FROM destination_sites
           WHERE user_id > some_users.user_id ORDER BY user_id LIMIT 1) AS next
         WHERE number < $2
       )
       SELECT user_id, user_id <> ALL ($3) AND EXISTS (SELECT FROM destination_sites
         WHERE user_id = some_users.user_id AND next_turn_at <= now()) AS is_due
       FROM some_users ORDER BY user_id`,
      [options.afterUserId, USERS_PER_CLAIM, [...options.exceptUsers]],
    );
    const due = users.flatMap(({ user_id, is_due }) => (is_due ? [user_id] : []));
    const taken = due.slice(0, options.limit);
    const lastSeen = users.length < USERS_PER_CLAIM ? '' : (users.at(-1)?.user_id ?? '');
    const lastUserId = due.length > taken.length ? (taken.at(-1) ?? '') : lastSeen;
    if (taken.length === 0) return { sites: [], lastUserId };
    const share = Math.max(1, Math.min(options.perUser, Math.floor(options.limit / taken.length)));
    const sites = await source.query<ClaimedSite>(
      `WITH taken AS MATERIALIZED (
         SELECT next.site FROM unnest($1::text[]) AS due (user_id), LATERAL (SELECT site FROM destination_sites
           WHERE user_id = due.user_id AND next_turn_at <= now() ORDER BY next_turn_at
           LIMIT $2 FOR UPDATE SKIP LOCKED) AS next
       )
       UPDATE destination_sites AS sites SET claim = $3, next_turn_at = now() + make_interval(secs => $4)
       -- Once more: another process may have taken it since.
       FROM taken WHERE sites.site = taken.site AND next_turn_at <= now()
       RETURNING sites.site, user_id AS "userId", claim`,
      [taken, share, options.claim, options.leaseSeconds],
    );
    return { sites, lastUserId };
  },

  /** Returns the destination of a site that is due first. Deletes unused ones. */
  async takeDue(source: Queryable, { site }: ClaimedSite): Promise<DueDestination | undefined> {
    await source.query(
      `DELETE FROM destinations WHERE id IN (SELECT id FROM destinations WHERE site = $1 AND next_check_at <= now()
         AND NOT EXISTS (SELECT FROM redirect_destinations WHERE destination_id = destinations.id)
         ORDER BY next_check_at LIMIT 100)`,
      [site],
    );
    const [row] = await source.query<DueDestination>(
      `SELECT id, url, state, failures, failing_since AS "failingSince" FROM destinations
       WHERE site = $1 AND next_check_at <= now() ORDER BY next_check_at LIMIT 1`,
      [site],
    );
    return row;
  },

  /** Stores the outcome of a check. Users are notified of a new state afterwards. */
  async settle(
    tx: Queryable,
    { id, state }: DueDestination,
    { retryAfterSeconds: _, ...result }: CheckResult,
    next: NextStanding,
  ): Promise<void> {
    await tx.query(
      `UPDATE destinations SET state = $2, failures = $3, failing_since = $4, result = $5::jsonb, checked_at = now(),
         next_check_at = now() + make_interval(secs => $6),
         told_until = CASE WHEN $7 THEN '{"",""}' ELSE told_until END,
         told_event = CASE WHEN $7 THEN $8 ELSE told_event END
       WHERE id = $1`,
      [
        id,
        next.state,
        next.failures,
        next.failingSince,
        JSON.stringify(result),
        next.delaySeconds,
        next.state !== state,
        next.event,
      ],
    );
  },

  async postpone(source: Queryable, id: number, seconds: number): Promise<void> {
    await source.query(
      'UPDATE destinations SET next_check_at = now() + make_interval(secs => $2) WHERE id = $1',
      [id, seconds],
    );
  },

  /** Locks a claimed site until the transaction ends. Resolves to false if another process has claimed it since. */
  async hold(tx: Queryable, { site, claim }: ClaimedSite): Promise<boolean> {
    const rows = await tx.query('SELECT FROM destination_sites WHERE site = $1 AND claim = $2 FOR UPDATE', [
      site,
      claim,
    ]);
    return rows.length > 0;
  },

  /**
   * Ends the claim of a locked site, and sets its next time to that of its next destination. A site without
   * destinations is deleted. It is a statement after `hold`, so it sees destinations that were added before.
   */
  async release(tx: Queryable, { site }: ClaimedSite, intervalSeconds: number): Promise<void> {
    const [next] = await tx.query<{ at: Date | null }>(
      'SELECT min(next_check_at) AS at FROM destinations WHERE site = $1',
      [site],
    );
    if (next?.at == null) await tx.query('DELETE FROM destination_sites WHERE site = $1', [site]);
    else {
      await tx.query(
        `UPDATE destination_sites SET claim = NULL, last_turn_at = now(),
           next_turn_at = greatest($2::timestamptz, now() + make_interval(secs => $3)) WHERE site = $1`,
        [site, next.at, intervalSeconds],
      );
    }
  },
};
