import type { Queryable } from '../../storage/postgres/database.js';
import type { AuditAction, ResourceType } from './audit-entry.js';

/** A change with its actor. All members of `by` are null for the service itself. */
interface ChangeRow {
  readonly time: Date;
  readonly action: AuditAction;
  readonly summary: string;
  readonly userId: string | null;
  readonly email: string | null;
  readonly tokenId: string | null;
  readonly address: string | null;
}

export interface VersionRow extends ChangeRow {
  readonly version: number;
}

export interface AuditRow extends ChangeRow {
  readonly id: string;
  /** Time as PostgreSQL writes it, for cursors. */
  readonly at: string;
  readonly type: ResourceType;
  readonly resourceId: string | null;
  readonly name: string | null;
  readonly count: number;
  /** Version of the redirect; null if the entry is about several redirects or another resource. */
  readonly version: number | null;
}

export interface AuditFilter {
  readonly types: readonly ResourceType[];
  readonly resourceId: string | undefined;
  readonly actions: readonly AuditAction[];
  readonly since: Date | undefined;
  /** Inclusive. */
  readonly until: Date | undefined;
}

export interface AuditPosition {
  readonly at: string;
  readonly id: string;
}

const BY = `by_user_id AS "userId", by_email AS email, by_token_id AS "tokenId", by_address AS address`;
const CHANGE = `audit_log.at AS time, action, summary, ${BY}`;

/** A version of a redirect that data planes had. */
export interface ServedVersion {
  readonly redirectId: string;
  readonly version: number;
}

/** All SQL that reads or deletes recorded changes. */
export const historyRepository = {
  /** Returns the versions before `before`, newest first. */
  versions(source: Queryable, redirectId: string, before: number, limit: number): Promise<VersionRow[]> {
    return source.query<VersionRow>(
      `SELECT version, ${CHANGE} FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
       WHERE redirect_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3`,
      [redirectId, before, limit],
    );
  },

  async version(source: Queryable, redirectId: string, version: number): Promise<VersionRow | undefined> {
    const [row] = await source.query<VersionRow>(
      `SELECT version, ${CHANGE} FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
       WHERE redirect_id = $1 AND version = $2`,
      [redirectId, version],
    );
    return row;
  },

  /** Returns entries after a position, newest first. */
  audit(
    source: Queryable,
    userId: string,
    { types, resourceId, actions, since, until }: AuditFilter,
    { at, id }: AuditPosition,
    limit: number,
  ): Promise<AuditRow[]> {
    return source.query<AuditRow>(
      `SELECT audit_log.id::text AS id, audit_log.at::text AS at, ${CHANGE}, resource_type AS type,
         resource_id AS "resourceId", resource_name AS name, resource_count AS count, only_version.version
       FROM audit_log LEFT JOIN LATERAL (SELECT version FROM redirect_versions
           WHERE audit_id = audit_log.id AND resource_count = 1 LIMIT 1) AS only_version ON true
       WHERE user_id = $1 AND (audit_log.at, audit_log.id) < ($2::timestamptz, $3::bigint)
         AND audit_log.at >= $4::timestamptz AND audit_log.at < $5::timestamptz + interval '1 millisecond'
         AND action = ANY ($6) AND resource_type = ANY ($7)
         AND ($8::text IS NULL OR resource_id = $8
           OR audit_log.id IN (SELECT audit_id FROM redirect_versions WHERE redirect_id = $8))
       ORDER BY audit_log.at DESC, audit_log.id DESC LIMIT $9`,
      [
        userId,
        at,
        id,
        since?.toISOString() ?? '-infinity',
        until?.toISOString() ?? 'infinity',
        actions,
        types,
        resourceId ?? null,
        limit,
      ],
    );
  },

  /** Returns up to `limit` users after one, by id, each with the time of the oldest entry. */
  oldestEntries(
    source: Queryable,
    afterUserId: string,
    limit: number,
  ): Promise<{ userId: string; oldest: Date | null }[]> {
    return source.query(
      `SELECT users.id AS "userId", (SELECT at FROM audit_log WHERE user_id = users.id ORDER BY at, id LIMIT 1) AS oldest
       FROM users WHERE users.id > $1 ORDER BY users.id LIMIT $2`,
      [afterUserId, limit],
    );
  },

  /** Deletes up to `limit` of the oldest entries of a user, with their versions. Resolves to their number. */
  async deleteBefore(source: Queryable, userId: string, time: string, limit: number): Promise<number> {
    const rows = await source.query(
      `WITH due AS MATERIALIZED (SELECT id AS due_id FROM audit_log WHERE user_id = $1 AND at < $2
         ORDER BY at, id LIMIT $3),
       versions AS (DELETE FROM redirect_versions USING due WHERE audit_id = due_id)
       DELETE FROM audit_log USING due WHERE audit_log.id = due_id RETURNING 1`,
      [userId, time, limit],
    );
    return rows.length;
  },

  /**
   * Deletes the numbers of first rulesets of versions whose state is no longer known. Looks at up to `limit` rows after
   * one, because a large table takes longer than a statement may.
   *
   * @returns the last of these rows; undefined after the last page
   */
  async forgetServed(
    source: Queryable,
    after: ServedVersion,
    limit: number,
  ): Promise<ServedVersion | undefined> {
    const [last] = await source.query<{ redirectId: string; version: number }>(
      `WITH page AS MATERIALIZED (SELECT redirect_id, version FROM served_versions
         WHERE (redirect_id, version) > ($1, $2) ORDER BY redirect_id, version LIMIT $3),
       forgotten AS (DELETE FROM served_versions AS served USING page
         WHERE served.redirect_id = page.redirect_id AND served.version = page.version AND NOT EXISTS (SELECT FROM redirects
           WHERE id = page.redirect_id AND (redirects.version = page.version OR EXISTS (SELECT FROM redirect_versions AS later
             WHERE later.redirect_id = page.redirect_id AND later.version = page.version + 1))))
       SELECT redirect_id AS "redirectId", version FROM page ORDER BY redirect_id, version OFFSET $3 - 1`,
      [after.redirectId, after.version, limit],
    );
    return last;
  },
};
