import type { Queryable } from '../../storage/postgres/database.js';
import { REDIRECT_OF } from './certificate-repository.js';
import type { CertificateState } from './certificate-states.js';

/** The certificates of a user that a list shows. */
export interface CertificateFilter {
  readonly userId: string;
  /** Part of the host, in lower case. */
  readonly search?: string | undefined;
  readonly state?: CertificateState | undefined;
  /** Names of certificates on disk, also wildcards. */
  readonly names: readonly string[];
  /** Keys that certificates can be decrypted with. Others are shown as failed. */
  readonly knownKeyIds: readonly string[];
}

/** SQL about lists of certificates. */
export const certificateListRepository = {
  /** Returns up to `limit` hosts after the given one. */
  async page(source: Queryable, filter: CertificateFilter, after: string, limit: number): Promise<string[]> {
    const rows = await source.query<{ host: string }>(
      `SELECT host FROM (${listed('AND host > $6', 'AND from_domain > $6', 'ORDER BY 1 LIMIT $7')}) AS listed
       ORDER BY host LIMIT $7`,
      [...parametersOf(filter), after, limit],
    );
    return rows.map(({ host }) => host);
  },

  /** Counts all of them by state. */
  async countByState(
    source: Queryable,
    filter: CertificateFilter,
  ): Promise<{ state: CertificateState; count: number }[]> {
    return source.query(
      `SELECT state, count(*) AS count FROM (${listed('', '', '')}) AS listed GROUP BY state`,
      parametersOf(filter),
    );
  },
};

function parametersOf({ userId, names, knownKeyIds, search, state }: CertificateFilter): unknown[] {
  return [userId, [...names], [...knownKeyIds], search ?? null, state ?? null];
}

/** Condition: visitors get a certificate on disk. Parameter 2 has its names. */
export const isCovered = (
  host: string,
) => `(cardinality($2::text[]) > 0 AND (${host} IN (SELECT unnest($2::text[]))
  OR '*' || substr(${host}, strpos(${host}, '.')) IN (SELECT unnest($2::text[]))))`;

/** The state that the API shows: see `directory-view.ts` and `sealing-keys.ts`. */
const SHOWN_STATE = `CASE WHEN ${isCovered('host')} THEN 'issued'
  WHEN fingerprint IS NOT NULL AND key_id <> ALL ($3) THEN 'failed' ELSE state END`;

/** Rows of host and state. The union removes the second row of a host that is in both parts. */
function listed(afterHost: string, afterDomain: string, end: string): string {
  return `(SELECT host, ${SHOWN_STATE} AS state FROM certificates JOIN redirects ON ${REDIRECT_OF}
     WHERE certificates.user_id = $1 AND certificates.removed_at IS NULL ${afterHost}
       AND ($4::text IS NULL OR strpos(host, $4) > 0) AND ($5::text IS NULL OR ${SHOWN_STATE} = $5) ${end})
   UNION
   (SELECT from_domain, 'issued' FROM redirects
     WHERE user_id = $1 AND verified_at IS NOT NULL AND deleted_at IS NULL ${afterDomain}
       AND ${isCovered('from_domain')}
       AND ($4::text IS NULL OR strpos(from_domain, $4) > 0) AND coalesce($5, 'issued') = 'issued' ${end})`;
}
