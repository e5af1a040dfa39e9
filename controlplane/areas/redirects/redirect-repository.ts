import type { Queryable } from '../../storage/postgres/database.js';
import { WAYS } from './loops/fallback-loops.js';
import type { Redirect, StoredSettings } from './redirect.js';
import type { Claim } from './redirect-batches.js';
import {
  COLUMNS,
  type RedirectRow,
  ROW_VERSION,
  SETTINGS_COLUMNS,
  settingsPlaceholders,
  settingsValues,
  toRedirect,
} from './redirect-rows.js';

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';
const NEWEST_FIRST_OF_REDIRECTS = 'ORDER BY redirects.created_at DESC, redirects.id DESC';

/** Maximum redirects in a chain. Browsers follow 20. */
export const MAX_HOPS = 64;

/** The redirects of a user. */
export interface RedirectList {
  /** Version that changes with the set of redirects and with each write to one of them; `undefined` without one. */
  readonly version: string | undefined;
  readonly redirects: readonly Redirect[];
}

/** A part of the redirects of a user. */
export interface RedirectPage {
  readonly redirects: readonly Redirect[];
  /** Start of the next part; undefined after the last one. */
  readonly next: string | undefined;
}

export interface ListVersion {
  /** Redirects of the user. */
  readonly length: number;
  readonly version: string | undefined;
}

export interface DueOptions {
  readonly limit: number;
  readonly delaySeconds: number;
  readonly maxDelaySeconds: number;
  readonly giveUpAfterDays: number;
  /** Lower bound, exclusive, of user ids. */
  readonly afterUserId: string;
}

export interface PostponedCheck {
  readonly redirectId: string;
  readonly waitMs: number;
}

/** All SQL about redirects. Each function takes the transaction or the database in which it runs. */
export const redirectRepository = {
  async update(tx: Queryable, id: string, settings: StoredSettings): Promise<Redirect> {
    const rows = await tx.query<RedirectRow>(
      `UPDATE redirects SET (${SETTINGS_COLUMNS}) = (${settingsPlaceholders(2)}), updated_at = now(),
         version = version + 1
       WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, ...settingsValues(settings)],
    );
    return onlyRow(rows);
  },

  async markVerified(tx: Queryable, id: string): Promise<Redirect> {
    const rows = await tx.query<RedirectRow>(
      `UPDATE redirects SET verified_at = now(), updated_at = now(), next_check_at = NULL,
         version = version + 1
       WHERE id = $1 RETURNING ${COLUMNS}`,
      [id],
    );
    return onlyRow(rows);
  },

  /** Returns the keys of the pages of the redirect's path table. Data planes get them when the redirect is verified. */
  async pathPagesOf(tx: Queryable, id: string): Promise<string[]> {
    const rows = await tx.query<{ key: string }>('SELECT key FROM path_pages WHERE redirect_id = $1', [id]);
    return rows.map(({ key }) => key);
  },

  /** Makes a verified redirect pending. Its first background check is due in a minute. */
  async markUnverified(tx: Queryable, id: string, newValue: string | undefined): Promise<Redirect> {
    const rows = await tx.query<RedirectRow>(
      `UPDATE redirects SET verified_at = NULL, updated_at = now(), version = version + 1,
         check_count = 0,
         next_check_at = now() + interval '1 minute', verification_value = coalesce($2, verification_value)
       WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, newValue ?? null],
    );
    return onlyRow(rows);
  },

  async findById(source: Queryable, id: string): Promise<Redirect | undefined> {
    const [row] = await source.query<RedirectRow>(
      `SELECT ${COLUMNS} FROM redirects WHERE id = $1 AND deleted_at IS NULL`,
      [id],
    );
    return row && toRedirect(row);
  },

  /** Returns the redirect of this id and locks it until the transaction ends. */
  async findByIdForUpdate(tx: Queryable, id: string): Promise<Redirect | undefined> {
    const [row] = await tx.query<RedirectRow>(
      `SELECT ${COLUMNS} FROM redirects WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
      [id],
    );
    return row && toRedirect(row);
  },

  /** Returns the claims of all users on a domain. */
  async findClaims(source: Queryable, fromDomain: string): Promise<Redirect[]> {
    const rows = await source.query<RedirectRow>(
      `SELECT ${COLUMNS} FROM redirects WHERE from_domain = $1 AND deleted_at IS NULL`,
      [fromDomain],
    );
    return rows.map(toRedirect);
  },

  /** Returns the redirects of a user, newest first. */
  async listOfUser(source: Queryable, userId: string): Promise<RedirectList> {
    const rows = await source.query<RedirectRow & { readonly row_version: string }>(
      `SELECT ${COLUMNS}, ${ROW_VERSION} AS row_version FROM redirects
       WHERE user_id = $1 AND deleted_at IS NULL ${NEWEST_FIRST}`,
      [userId],
    );
    return {
      version: rows.length === 0 ? undefined : rows.map((row) => row.row_version).join(','),
      redirects: rows.map(({ row_version: _, ...row }) => toRedirect(row)),
    };
  },

  /** Returns a part of {@link listOfUser}: the first one, or the one after an earlier part. */
  async pageOfUser(
    source: Queryable,
    userId: string,
    { limit, after }: { readonly limit: number; readonly after?: string },
  ): Promise<RedirectPage> {
    const [createdAt = null, id = null] = after?.split(' / ') ?? [];
    const rows = await source.query<RedirectRow & { readonly position: string }>(
      `SELECT ${COLUMNS}, created_at::text || ' / ' || id AS position FROM redirects
       WHERE user_id = $1 AND deleted_at IS NULL
         AND (created_at, id) < (coalesce($2, 'infinity')::timestamptz, coalesce($3, ''))
       ${NEWEST_FIRST} LIMIT $4`,
      [userId, createdAt, id, limit],
    );
    return {
      redirects: rows.map(({ position: _, ...row }) => toRedirect(row)),
      next: rows.length < limit ? undefined : rows.at(-1)?.position,
    };
  },

  /** Returns the versions of {@link listOfUser} by user. They are undefined for lists longer than `maxLength`. */
  async listVersions(
    source: Queryable,
    userIds: readonly string[],
    maxLength: number,
  ): Promise<Map<string, ListVersion>> {
    const rows = await source.query<{ id: string; length: number; version: string | null }>(
      `SELECT users.id, redirect_count AS length, CASE WHEN redirect_count BETWEEN 1 AND $2 THEN
           (SELECT string_agg(redirects.${ROW_VERSION}, ',' ${NEWEST_FIRST_OF_REDIRECTS})
            FROM redirects WHERE user_id = users.id AND deleted_at IS NULL) END AS version
       FROM users WHERE users.id = ANY ($1)`,
      [userIds, maxLength],
    );
    return new Map(rows.map(({ id, length, version }) => [id, { length, version: version ?? undefined }]));
  },

  /**
   * Returns the hosts that a visitor would pass from `fromDomain` back to itself if it redirected to the hosts;
   * `undefined` without such a loop. Follows destinations, URLs after the end and fallbacks, regardless of when they
   * apply, of verified redirects and of the user's own pending ones. Other users' pending redirects do not count.
   *
   * @returns `too-long` if a visitor would take more than 64 hops
   */
  async findLoop(
    tx: Queryable,
    { fromDomain, toHost, afterEndHost, userId }: Omit<Claim, 'externalId'>,
  ): Promise<string[] | 'too-long' | undefined> {
    const edges = await tx.query<{ via: string; host: string; hops: number }>(
      `WITH RECURSIVE reached (via, host, hops) AS (
         SELECT $1::text, host, 1 FROM (VALUES ($2::text), ($5::text)) AS first (host) WHERE host IS NOT NULL
         UNION
         SELECT redirects.from_domain, ways.host, hops + 1 FROM reached
         JOIN redirects ON redirects.from_domain = reached.host AND redirects.deleted_at IS NULL
         CROSS JOIN LATERAL ${WAYS} AS ways
         WHERE reached.host <> $1 AND hops <= $4
           AND (redirects.verified_at IS NOT NULL OR redirects.user_id = $3)
       )
       SELECT via, host, hops FROM reached ORDER BY hops`,
      [fromDomain, toHost, userId, MAX_HOPS, afterEndHost],
    );
    // The search is breadth-first and keeps the first path to a host. The path back therefore ends at the start.
    const cameFrom = new Map<string, string>();
    for (const { via, host } of edges) if (!cameFrom.has(host)) cameFrom.set(host, via);
    if (!cameFrom.has(fromDomain)) return (edges.at(-1)?.hops ?? 0) > MAX_HOPS ? 'too-long' : undefined;
    const path = [fromDomain];
    let host = fromDomain;
    do {
      host = cameFrom.get(host) ?? fromDomain;
      path.unshift(host);
    } while (host !== fromDomain && path.length <= edges.length);
    return path;
  },

  /**
   * Claims due pending redirects by postponing their next check. `delaySeconds` doubles with every check; there are no
   * checks after `giveUpAfterDays`. Users come in the order of their ids, each with an equal share of `limit`.
   */
  async takeDueForCheck(source: Queryable, options: DueOptions): Promise<Redirect[]> {
    const rows = await source.query<RedirectRow>(
      `WITH RECURSIVE users_due (user_id, number) AS (
         (SELECT user_id, 1 FROM redirects WHERE next_check_at <= now() AND user_id > $5 ORDER BY user_id LIMIT 1)
         UNION ALL
         SELECT next.user_id, number + 1 FROM users_due, LATERAL (SELECT user_id FROM redirects
           WHERE next_check_at <= now() AND user_id > users_due.user_id ORDER BY user_id LIMIT 1) AS next
         WHERE number < $1
       ),
       due AS MATERIALIZED (
         SELECT of_user.id AS due_id FROM users_due, LATERAL (SELECT id FROM redirects
           WHERE user_id = users_due.user_id AND next_check_at <= now() ORDER BY next_check_at
           LIMIT (SELECT $1 / max(number) FROM users_due) FOR UPDATE SKIP LOCKED) AS of_user
       )
       UPDATE redirects SET check_count = check_count + 1, next_check_at = CASE
           WHEN created_at < now() - make_interval(days => $4) THEN NULL
           ELSE now() + make_interval(secs =>
             least($2 * power(2, least(check_count, 20)), $3) * (0.8 + 0.4 * random())) END
       FROM due WHERE id = due_id
       RETURNING ${COLUMNS}`,
      [
        options.limit,
        options.delaySeconds,
        options.maxDelaySeconds,
        options.giveUpAfterDays,
        options.afterUserId,
      ],
    );
    return rows.map(toRedirect);
  },

  /**
   * Releases a claim for a check. The redirect is due again after the delay. Checks that have ended permanently stay
   * ended.
   */
  async postponeChecks(source: Queryable, checks: readonly PostponedCheck[]): Promise<void> {
    await source.query(
      `UPDATE redirects SET check_count = greatest(check_count - 1, 0),
         next_check_at = now() + make_interval(secs => wait_seconds)
       FROM unnest($1::text[], $2::float8[]) AS postponed (redirect_id, wait_seconds)
       WHERE id = redirect_id AND next_check_at IS NOT NULL`,
      [checks.map(({ redirectId }) => redirectId), checks.map(({ waitMs }) => waitMs / 1_000)],
    );
  },
};

export type RedirectRepository = typeof redirectRepository;

function onlyRow(rows: readonly RedirectRow[]): Redirect {
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that returns one redirect returned none');
  return toRedirect(row);
}
