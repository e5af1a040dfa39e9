import type { Queryable } from '../../storage/postgres/database.js';
import type { RedirectHealth } from '../redirects/public.js';
import type { CheckResult, DestinationState } from './check-result.js';
import type { DestinationRecord } from './destination-schema.js';
import { MAX_DESTINATIONS, USES, type Use } from './used-destinations.js';

interface Row {
  readonly health: RedirectHealth;
  readonly url: string | null;
  readonly used_by: readonly Use[];
  readonly state: DestinationState;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly result: CheckResult | null;
  readonly checked_at: Date | null;
  readonly next_check_at: Date;
}

/** Reads the destinations of a redirect with their last checks, the broken ones first. */
export async function readDestinations(
  database: Queryable,
  redirectId: string,
): Promise<{ readonly health: RedirectHealth; readonly destinations: DestinationRecord[] }> {
  const rows = await database.query<Row>(
    `SELECT health, url, used_by, state, failures, failing_since, result, checked_at,
       destinations.next_check_at
     FROM redirects LEFT JOIN redirect_destinations ON redirect_id = redirects.id
     LEFT JOIN destinations ON destinations.id = destination_id
     WHERE redirects.id = $1 ORDER BY state = 'broken' DESC, url LIMIT $2`,
    [redirectId, MAX_DESTINATIONS],
  );
  return { health: rows[0]?.health ?? 'unknown', destinations: rows.flatMap(recordOf) };
}

function recordOf({ url, result, ...row }: Row): DestinationRecord[] {
  if (url === null) return [];
  return [
    {
      url,
      usedBy: USES.filter((use) => row.used_by.includes(use)),
      health: row.state,
      statusCode: result?.statusCode ?? null,
      error: result?.error ?? null,
      redirects: [...(result?.redirects ?? [])],
      tlsExpiresAt: result?.tlsExpiresAt ?? null,
      responseTimeMs: result?.responseTimeMs ?? null,
      failures: row.failures,
      failingSince: row.failing_since?.toISOString() ?? null,
      checkedAt: row.checked_at?.toISOString() ?? null,
      nextCheckAt: row.next_check_at.toISOString(),
    },
  ];
}
