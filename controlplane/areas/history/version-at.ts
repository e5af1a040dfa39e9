import type { Queryable } from '../../storage/postgres/database.js';

/** An answer to a visitor. */
export interface AnsweredVisit {
  /** `epoch.seq` of the ruleset that answered. */
  readonly rulesetVersion: string;
  readonly at: Date;
}

/**
 * Maximum difference of the clocks of data planes and the database, and time that a change takes to reach a data plane.
 * It matters only if the ruleset of a visit does not determine the version.
 */
export const UNCERTAIN_MS = 60_000;
const RULESET_VERSION = /^(\d{1,15})\.(\d{1,15})$/;

/**
 * Finds the version of a redirect that answered a visit. Resolves to undefined if unknown: the visit is older than the
 * history, or a change without a recorded ruleset was made within a minute of it.
 */
export async function versionAt(
  source: Queryable,
  redirectId: string,
  { rulesetVersion, at }: AnsweredVisit,
): Promise<number | undefined> {
  const [, epoch, seq] = RULESET_VERSION.exec(rulesetVersion) ?? [];
  const [row] = await source.query<{ served: number | null; next: number | null }>(
    `SELECT max(version) FILTER (WHERE (epoch, seq) <= ($2::bigint, $3::bigint)) AS served,
       min(version) FILTER (WHERE (epoch, seq) > ($2::bigint, $3::bigint)) AS next
     FROM served_versions WHERE redirect_id = $1`,
    [redirectId, epoch ?? 0, seq ?? 0],
  );
  const { served = null, next = null } = row ?? {};
  return served === null
    ? versionByTime(source, redirectId, at, next)
    : newestOfAlike(source, redirectId, at, { served, next });
}

/** Finds the newest version before a visit among those that are the same for visitors as the served one. */
async function newestOfAlike(
  source: Queryable,
  redirectId: string,
  at: Date,
  { served, next }: { readonly served: number; readonly next: number | null },
): Promise<number> {
  const [row] = await source.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
     WHERE redirect_id = $1 AND version > $2 AND version < coalesce($3, version + 1) AND at <= $4`,
    [redirectId, served, next, at.toISOString()],
  );
  return row?.version ?? served;
}

/**
 * Finds the version whose time is certainly before a visit, while the time of the next version is certainly after it.
 */
async function versionByTime(
  source: Queryable,
  redirectId: string,
  at: Date,
  before: number | null,
): Promise<number | undefined> {
  const [row] = await source.query<{ version: number; isCertain: boolean }>(
    // A creation has no earlier version, at any time.
    `SELECT version, at < $2::timestamptz - $3::interval OR num_nulls(delta, packed) = 2 AS "isCertain"
     FROM redirect_versions JOIN audit_log ON audit_log.id = audit_id
     WHERE redirect_id = $1 AND version < coalesce($4, version + 1) AND at < $2::timestamptz + $3::interval
     ORDER BY version DESC LIMIT 1`,
    [redirectId, at.toISOString(), `${UNCERTAIN_MS} milliseconds`, before],
  );
  return row?.isCertain === true ? row.version : undefined;
}
