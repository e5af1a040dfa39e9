import { AppError } from '../../errors/app-error.js';
import { type PagePosition, READ_PER_PAGE, type ReadRow } from '../../http/page-cursor.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { CheckResult } from './check-result.js';
import { MAX_COUNTED, MAX_SHOWN } from './destination-schema.js';

interface UsingRedirect {
  readonly id: string;
  readonly fromDomain: string;
  readonly userId: string;
  readonly email: string | null;
}

interface BrokenDestination extends ReadRow {
  readonly url: string;
  readonly failures: number;
  readonly failingSince: Date;
  readonly result: CheckResult | null;
  readonly checkedAt: Date | null;
  readonly redirectCount: number;
  readonly redirects: readonly UsingRedirect[];
}

/**
 * Reads a page of the broken destinations of all users, the last to break first, from up to `readPerPage` rows.
 *
 * @returns rows for `toReadPage`
 */
export async function readBrokenDestinations(
  source: Queryable,
  { at, id }: PagePosition,
  limit: number,
  search: string | undefined,
  readPerPage = READ_PER_PAGE,
): Promise<BrokenDestination[]> {
  if (!/^\d{0,18}$/.test(id)) {
    const message = 'cursor must be the nextCursor of an earlier page, or be left out.';
    throw new AppError('INVALID_REQUEST', { field: 'cursor', message });
  }
  return source.query<BrokenDestination>(
    `SELECT failing_since::text AS at, destinations.id::text AS id, url, failures, failing_since AS "failingSince", result,
       checked_at AS "checkedAt", "isMatch", place, (SELECT count(*)::integer FROM (SELECT FROM redirect_destinations
         WHERE destination_id = destinations.id LIMIT $5) AS counted) AS "redirectCount",
       (SELECT coalesce(json_agg(shown), '[]') FROM (
         SELECT redirects.id, from_domain AS "fromDomain", redirects.user_id AS "userId", email
         FROM redirect_destinations JOIN redirects ON redirects.id = redirect_id JOIN users ON users.id = redirects.user_id
         WHERE destination_id = destinations.id ORDER BY redirect_destinations.user_id, redirect_id LIMIT $6) AS shown) AS redirects
     FROM (SELECT *, $4::text IS NULL OR strpos(lower(url), lower($4)) > 0 AS "isMatch",
         row_number() OVER (ORDER BY failing_since DESC, id DESC) AS place
       FROM destinations
       WHERE state = 'broken' AND (failing_since, id) < ($1::timestamptz, coalesce(nullif($2, '')::bigint, 0))
       ORDER BY failing_since DESC, id DESC LIMIT ${readPerPage}) AS destinations
     WHERE "isMatch" OR place = ${readPerPage}
     ORDER BY failing_since DESC, destinations.id DESC LIMIT $3`,
    [at, id, limit + 1, search ?? null, MAX_COUNTED, MAX_SHOWN],
  );
}

/** Returns a broken destination as the API shows it. */
export function brokenRecord(destination: BrokenDestination) {
  const { result, failingSince, checkedAt, url, failures, redirectCount, redirects } = destination;
  return {
    url,
    failures,
    redirectCount,
    redirects: [...redirects],
    statusCode: result?.statusCode ?? null,
    error: result?.error ?? null,
    failingSince: failingSince.toISOString(),
    checkedAt: checkedAt?.toISOString() ?? null,
  };
}
