import type { Queryable } from '../../storage/postgres/database.js';
import type { StoredSettings } from './redirect.js';
import type { Claim, Obstacles } from './redirect-repository.js';
import { SETTINGS_COLUMNS } from './redirect-rows.js';
import { parameterColumns } from './settings-columns.js';

/** Stored redirects that prevent the creation of a new one. */
export type NewObstacles = Omit<Obstacles, 'ownCount'>;

/** Obstacles of several claims, and the redirects that their user has. */
export interface ObstaclesOfMany {
  /** One for each claim, in their order. */
  readonly obstacles: readonly NewObstacles[];
  readonly ownCount: number;
}

/** A new redirect that is valid by itself. */
export interface WantedRedirect extends StoredSettings {
  readonly id: string;
  readonly fromDomain: string;
}

/** A redirect to insert with others. */
export interface BatchedRedirect {
  readonly wanted: WantedRedirect;
  readonly verificationValue: string;
  /** Time until the first background check; null verifies without a proof. */
  readonly checkAfterSeconds: number | null;
}

/** Redirects of a host, of whomever. */
interface HostRow {
  readonly host: string;
  readonly is_own: boolean;
  readonly is_verified: boolean;
  readonly is_taken: boolean;
}

/** The SQL for many new redirects at once. Each function is a few statements, whatever the number. */
export const redirectBatches = {
  /** Does what `findObstacles` does for new redirects of one user. Sees only what is stored. */
  async findObstacles(
    tx: Queryable,
    userId: string,
    claims: readonly Omit<Claim, 'userId'>[],
  ): Promise<ObstaclesOfMany> {
    const named = new Set(
      claims.flatMap(({ fromDomain, toHost, afterEndHost }) => [fromDomain, toHost, afterEndHost ?? '']),
    );
    // A list of values is looked up in the index, whatever the planner knows of the table.
    const rows = await tx.query<HostRow>(
      `SELECT from_domain AS host, bool_or(user_id = $1) AS is_own, bool_or(verified_at IS NOT NULL) AS is_verified,
         bool_or(verified_at IS NOT NULL AND missing_since IS NULL) AS is_taken
       FROM redirects LEFT JOIN domain_proofs ON redirect_id = redirects.id
       WHERE from_domain = ANY ($2::text[]) AND deleted_at IS NULL GROUP BY from_domain`,
      [userId, [...named]],
    );
    const hosts = new Map(rows.map((row) => [row.host, row]));
    const externalIds = await this.findExternalIds(tx, userId, claims);
    const [user] = await tx.query<{ redirect_count: number }>(
      'SELECT redirect_count FROM users WHERE id = $1',
      [userId],
    );
    const counts = (host: string | null) => {
      const found = hosts.get(host ?? '');
      return found !== undefined && (found.is_own || found.is_verified);
    };
    const obstacles = claims.map(({ fromDomain, toHost, afterEndHost, externalId }) => ({
      isOwn: hosts.get(fromDomain)?.is_own === true,
      isTaken: hosts.get(fromDomain)?.is_taken === true,
      hasExternalId: externalId !== null && externalIds.has(externalId),
      leadsOn: fromDomain === toHost || fromDomain === afterEndHost || counts(toHost) || counts(afterEndHost),
    }));
    return { obstacles, ownCount: user?.redirect_count ?? 0 };
  },

  async findExternalIds(
    tx: Queryable,
    userId: string,
    claims: readonly Pick<Claim, 'externalId'>[],
  ): Promise<ReadonlySet<string>> {
    const wanted = claims.flatMap(({ externalId }) => (externalId === null ? [] : [externalId]));
    if (wanted.length === 0) return new Set();
    const rows = await tx.query<{ external_id: string }>(
      `SELECT external_id FROM redirects
       WHERE user_id = $1 AND external_id = ANY ($2::text[]) AND deleted_at IS NULL`,
      [userId, wanted],
    );
    return new Set(rows.map((row) => row.external_id));
  },

  /**
   * Inserts redirects of one user.
   *
   * @returns the time that those verified at once have
   */
  async insert(tx: Queryable, userId: string, redirects: readonly BatchedRedirect[]): Promise<Date> {
    const { source, settings, params } = parameterColumns(
      [userId],
      {
        id: redirects.map(({ wanted }) => wanted.id),
        from_domain: redirects.map(({ wanted }) => wanted.fromDomain),
        verification_value: redirects.map(({ verificationValue }) => verificationValue),
        check_after: redirects.map(({ checkAfterSeconds }) => checkAfterSeconds?.toString() ?? null),
      },
      redirects.map(({ wanted }) => wanted),
    );
    const [row] = await tx.query<{ now: Date }>(
      `WITH inserted AS (
         INSERT INTO redirects (id, user_id, from_domain, verification_value, verified_at, next_check_at, ${SETTINGS_COLUMNS})
         SELECT id, $1, from_domain, verification_value, CASE WHEN check_after IS NULL THEN now() END,
           now() + make_interval(secs => check_after::float8), ${settings} FROM ${source})
       SELECT now() AS now`,
      params,
    );
    if (row === undefined) throw new Error('a statement that returns one row returned none');
    return row.now;
  },
};

export type RedirectBatches = typeof redirectBatches;
