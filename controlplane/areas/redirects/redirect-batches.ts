import { type Queryable, sendLater } from '../../storage/postgres/database.js';
import type { WantedRedirect } from './new-redirect.js';
import type { Claim, Obstacles } from './redirect-repository.js';
import { SETTINGS_COLUMNS } from './redirect-rows.js';
import { parameterColumns } from './settings-columns.js';

/** Stored redirects that prevent the creation of a new one. */
export type NewObstacles = Omit<Obstacles, 'ownCount'>;

/** Obstacles of several claims, and the numbers of redirects of their users. */
export interface ObstaclesOfMany {
  /** One for each claim, in their order. */
  readonly obstacles: readonly NewObstacles[];
  /** Number of redirects by user. */
  readonly ownCounts: ReadonlyMap<string, number>;
  /** Time of the transaction. */
  readonly now: Date;
}

/** A redirect to insert with others. */
export interface BatchedRedirect {
  readonly userId: string;
  readonly wanted: WantedRedirect;
  readonly verificationValue: string;
  /** Time until the first background check; null verifies without a proof. */
  readonly checkAfterSeconds: number | null;
}

/** Redirects of a host, of any user. */
interface HostRow {
  readonly host: string;
  /** Ids of the requested users who have a redirect of this domain. */
  readonly owners: readonly string[] | null;
  readonly is_verified: boolean;
  readonly is_taken: boolean;
}

/** The SQL for creating many redirects at once. The number of statements does not depend on the number of redirects. */
export const redirectBatches = {
  /** Does what `findObstacles` does for new redirects, in one round trip. Considers only stored redirects. */
  async findObstacles(tx: Queryable, claims: readonly Claim[]): Promise<ObstaclesOfMany> {
    const userIds = [...new Set(claims.map(({ userId }) => userId))];
    const named = new Set(
      claims.flatMap(({ fromDomain, toHost, afterEndHost }) => [fromDomain, toHost, afterEndHost ?? '']),
    );
    // Each host is looked up in the index. PostgreSQL would read a table of up to 150,000 redirects as a whole for a list
    // of 2,000 values.
    const readingHosts = tx.query<HostRow>(
      `SELECT host, found.* FROM unnest($2::text[]) AS named (host) CROSS JOIN LATERAL (
         SELECT array_agg(user_id) FILTER (WHERE user_id = ANY ($1::text[])) AS owners,
           bool_or(verified_at IS NOT NULL) AS is_verified,
           bool_or(verified_at IS NOT NULL AND missing_since IS NULL) AS is_taken
         FROM redirects LEFT JOIN domain_proofs ON redirect_id = redirects.id
         WHERE from_domain = host AND deleted_at IS NULL HAVING count(*) > 0) AS found`,
      [userIds, [...named]],
    );
    const readingUsers = tx.query<{ id: string; redirect_count: number; now: Date }>(
      'SELECT id, redirect_count, now() AS now FROM users WHERE id = ANY ($1::text[])',
      [userIds],
    );
    const [rows, externalIds, users] = await Promise.all([
      readingHosts,
      this.findExternalIds(tx, claims),
      readingUsers,
    ]);
    const hosts = new Map(rows.map((row) => [row.host, row]));
    const isOwn = (host: HostRow | undefined, userId: string) => host?.owners?.includes(userId) === true;
    const counts = (host: string | null, userId: string) => {
      const found = hosts.get(host ?? '');
      return found !== undefined && (isOwn(found, userId) || found.is_verified);
    };
    const obstacles = claims.map(({ userId, fromDomain, toHost, afterEndHost, externalId }) => ({
      isOwn: isOwn(hosts.get(fromDomain), userId),
      isTaken: hosts.get(fromDomain)?.is_taken === true,
      hasExternalId: externalId !== null && externalIds.has(keyOf(userId, externalId)),
      leadsOn:
        fromDomain === toHost ||
        fromDomain === afterEndHost ||
        counts(toHost, userId) ||
        counts(afterEndHost, userId),
    }));
    const ownCounts = new Map(users.map(({ id, redirect_count }) => [id, redirect_count]));
    return { obstacles, ownCounts, now: users[0]?.now ?? new Date() };
  },

  async findExternalIds(
    tx: Queryable,
    claims: readonly Pick<Claim, 'userId' | 'externalId'>[],
  ): Promise<ReadonlySet<string>> {
    const wanted = claims.filter(({ externalId }) => externalId !== null);
    if (wanted.length === 0) return new Set();
    const rows = await tx.query<{ user_id: string; external_id: string }>(
      `SELECT wanted.* FROM unnest($1::text[], $2::text[]) AS wanted (user_id, external_id)
       WHERE EXISTS (SELECT FROM redirects WHERE redirects.user_id = wanted.user_id
         AND redirects.external_id = wanted.external_id AND deleted_at IS NULL)`,
      [wanted.map(({ userId }) => userId), wanted.map(({ externalId }) => externalId)],
    );
    return new Set(rows.map((row) => keyOf(row.user_id, row.external_id)));
  },

  /**
   * Inserts redirects, with the next statement of the transaction. Its time is the time of verification of those that need
   * no proof.
   *
   * @param isPlanned whether all calls use the same statement, so that PostgreSQL can keep its plan
   */
  async insert(tx: Queryable, redirects: readonly BatchedRedirect[], isPlanned = false): Promise<void> {
    const { source, settings, params } = parameterColumns(
      {
        id: redirects.map(({ wanted }) => wanted.id),
        user_id: redirects.map(({ userId }) => userId),
        from_domain: redirects.map(({ wanted }) => wanted.fromDomain),
        verification_value: redirects.map(({ verificationValue }) => verificationValue),
        check_after: redirects.map(({ checkAfterSeconds }) => checkAfterSeconds?.toString() ?? null),
      },
      redirects.map(({ wanted }) => wanted),
      isPlanned,
    );
    await sendLater(
      tx,
      `INSERT INTO redirects (id, user_id, from_domain, verification_value, verified_at, next_check_at, ${SETTINGS_COLUMNS})
       SELECT id, user_id, from_domain, verification_value, CASE WHEN check_after IS NULL THEN now() END,
         now() + make_interval(secs => check_after::float8), ${settings} FROM ${source}`,
      params,
    );
  },
};

/** Ids of users have no spaces. */
function keyOf(userId: string, externalId: string): string {
  return `${userId} ${externalId}`;
}
