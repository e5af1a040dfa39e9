import type { Static } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import { type PagePosition, READ_PER_PAGE, type ReadRow } from '../../http/page-cursor.js';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { RedirectHealth } from '../redirects/public.js';
import type { CheckResult, DestinationState } from './check-result.js';
import {
  type BrokenPageSchema,
  type DestinationRecord,
  MAX_COUNTED,
  MAX_SHOWN,
} from './destination-schema.js';
import { MAX_DESTINATIONS, USES, type Use } from './used-destinations.js';

interface CheckRow {
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly result: CheckResult | null;
  readonly checkedAt: Date | null;
}

interface Row extends CheckRow {
  readonly health: RedirectHealth;
  readonly url: string | null;
  readonly usedBy: readonly Use[];
  readonly state: DestinationState;
  readonly nextCheckAt: Date;
}

/** Reads the destinations of a redirect with their last checks, broken ones first. */
export async function readDestinations(
  database: Queryable,
  redirectId: string,
): Promise<{ readonly health: RedirectHealth; readonly destinations: DestinationRecord[] }> {
  const rows = await database.query<Row>(
    `SELECT ${asMembers('health, url, used_by, state, failures, failing_since, result, checked_at')},
       destinations.next_check_at AS "nextCheckAt"
     FROM redirects LEFT JOIN redirect_destinations ON redirect_id = redirects.id
     LEFT JOIN destinations ON destinations.id = destination_id
     WHERE redirects.id = $1 ORDER BY state = 'broken' DESC, url LIMIT $2`,
    [redirectId, MAX_DESTINATIONS],
  );
  return { health: rows[0]?.health ?? 'unknown', destinations: rows.flatMap(recordOf) };
}

function recordOf({ url, ...row }: Row): DestinationRecord[] {
  if (url === null) return [];
  return [
    {
      url,
      usedBy: USES.filter((use) => row.usedBy.includes(use)),
      health: row.state,
      redirects: [...(row.result?.redirects ?? [])],
      tlsExpiresAt: row.result?.tlsExpiresAt ?? null,
      responseTimeMs: row.result?.responseTimeMs ?? null,
      nextCheckAt: row.nextCheckAt.toISOString(),
      ...lastCheckOf(row),
    },
  ];
}

function lastCheckOf({ failures, failingSince, result, checkedAt }: CheckRow) {
  return {
    statusCode: result?.statusCode ?? null,
    error: result?.error ?? null,
    failures,
    failingSince: failingSince?.toISOString() ?? null,
    checkedAt: checkedAt?.toISOString() ?? null,
  };
}

type BrokenRecord = Static<typeof BrokenPageSchema>['data'][number];
type BrokenDestination = ReadRow & CheckRow & Pick<BrokenRecord, 'url' | 'redirectCount' | 'redirects'>;

/**
 * Reads a page of the broken destinations of all users, the most recently broken first, from up to `readPerPage` rows.
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
export function brokenRecord({ url, redirectCount, redirects, ...row }: BrokenDestination): BrokenRecord {
  return { url, redirectCount, redirects, ...lastCheckOf(row) };
}
