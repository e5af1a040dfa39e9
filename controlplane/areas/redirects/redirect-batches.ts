import { type Queryable, sendLater } from '../../storage/postgres/database.js';
import { deletedRedirects } from './deleted-redirects.js';
import type { Redirect, StoredSettings } from './redirect.js';
import {
  COLUMNS,
  parameterColumns,
  type RedirectRow,
  SETTINGS_COLUMNS,
  toRedirect,
} from './redirect-rows.js';

/** A possible redirect from a domain to hosts. */
export interface Claim {
  readonly userId: string;
  readonly fromDomain: string;
  readonly toHost: string;
  readonly afterEndHost: string | null;
  readonly externalId: string | null;
}

/**
 * Obstacles to a claim. Deleted redirects do not count. The redirect of the claim counts if it is stored: a change of it
 * ignores its own domain and external id.
 */
export interface Obstacles {
  /** Whether the user has a redirect of the domain. */
  readonly isOwn: boolean;
  /** Whether a redirect of the user has the external id. */
  readonly hasExternalId: boolean;
  /** Whether a user has verified the domain, and the last DNS query found the proof. */
  readonly isTaken: boolean;
  /** Whether one of the hosts has a redirect that counts for this user. */
  readonly leadsOn: boolean;
  /** Redirects of the user. */
  readonly ownCount: number;
  /** Time of the transaction. */
  readonly now: Date;
}

/** A redirect to insert with others. */
export interface BatchedRedirect {
  readonly userId: string;
  readonly wanted: StoredSettings & Pick<Redirect, 'id' | 'fromDomain'>;
  readonly verificationValue: string;
  /** Time until the first background check; null verifies without a proof. */
  readonly checkAfterSeconds: number | null;
}

/** Names of redirects of one user. */
export interface TargetNames {
  readonly ids: readonly string[];
  readonly externalIds: readonly string[];
  readonly domains: readonly string[];
}

/** The SQL for changes of one or many redirects. The number of statements does not depend on the number of redirects. */
export const redirectBatches = {
  /** Returns the obstacles of each claim, in their order. */
  findObstacles(tx: Queryable, claims: readonly Claim[]): Promise<Obstacles[]> {
    // Aggregates over each host keep PostgreSQL to its index. For a list of 2,000 values, it would otherwise scan a
    // whole table of up to 150,000 redirects.
    return tx.query<Obstacles>(
      `SELECT coalesce("isOwn", false) AS "isOwn", coalesce("isTaken", false) AS "isTaken", "hasExternalId",
         from_host = next_host OR from_host IS NOT DISTINCT FROM end_host OR coalesce(is_beginning, false) AS "leadsOn",
         coalesce((SELECT redirect_count FROM users WHERE id = claimant), 0) AS "ownCount", now() AS now
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
           AS claim (claimant, from_host, next_host, end_host, wanted_id, place),
         LATERAL (SELECT bool_or(user_id = claimant) AS "isOwn",
             bool_or(verified_at IS NOT NULL AND missing_since IS NULL) AS "isTaken"
           FROM redirects LEFT JOIN domain_proofs ON redirect_id = redirects.id
           WHERE from_domain = from_host AND deleted_at IS NULL) AS of_domain,
         LATERAL (SELECT bool_or(verified_at IS NOT NULL OR user_id = claimant) AS is_beginning FROM redirects
           WHERE from_domain IN (next_host, end_host) AND deleted_at IS NULL) AS next,
         LATERAL (SELECT count(*) > 0 AS "hasExternalId" FROM redirects
           WHERE user_id = claimant AND external_id = wanted_id AND deleted_at IS NULL) AS namesake
       ORDER BY place`,
      [
        claims.map(({ userId }) => userId),
        claims.map(({ fromDomain }) => fromDomain),
        claims.map(({ toHost }) => toHost),
        claims.map(({ afterEndHost }) => afterEndHost),
        claims.map(({ externalId }) => externalId),
      ],
    );
  },

  /**
   * Inserts redirects, with the next statement of the transaction. The transaction's time becomes the time of
   * verification of redirects that need no proof.
   *
   * @param isPlanned whether all calls use the same statement. PostgreSQL can then reuse its plan.
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

  /** Returns the live redirects of a user that have one of the names, and locks them in the order of their ids. */
  async lockTargets(tx: Queryable, userId: string, names: TargetNames): Promise<Redirect[]> {
    const rows = await tx.query<RedirectRow>(
      `SELECT ${COLUMNS} FROM redirects WHERE deleted_at IS NULL AND id IN (
           SELECT id FROM redirects WHERE id = ANY ($2) AND user_id = $1
           UNION SELECT id FROM redirects WHERE user_id = $1 AND external_id = ANY ($3) AND deleted_at IS NULL
             AND external_id IS NOT NULL
           UNION SELECT id FROM redirects WHERE user_id = $1 AND from_domain = ANY ($4) AND deleted_at IS NULL)
       ORDER BY id FOR UPDATE`,
      [userId, names.ids, names.externalIds, names.domains],
    );
    return rows.map(toRedirect);
  },

  /**
   * Locks the live redirects with these ids, of any owner, in the order of their ids. Skips redirects that another
   * transaction has locked. Resolves to the locked ones and to the time of the transaction.
   */
  async lockFree(
    tx: Queryable,
    ids: readonly string[],
  ): Promise<{ readonly redirects: readonly Redirect[]; readonly now: Date }> {
    const rows = await tx.query<RedirectRow & { readonly now: Date }>(
      `SELECT ${COLUMNS}, now() AS now FROM redirects WHERE id = ANY ($1::text[]) AND deleted_at IS NULL
       ORDER BY id FOR UPDATE SKIP LOCKED`,
      [ids],
    );
    return { redirects: rows.map(({ now: _, ...row }) => toRedirect(row)), now: rows[0]?.now ?? new Date() };
  },

  /**
   * Changes the settings of locked redirects, by id, with the next statement of the transaction. They are updated at the
   * time of the transaction.
   *
   * @param isPlanned as in `insert`
   */
  async update(
    tx: Queryable,
    settingsById: ReadonlyMap<string, StoredSettings>,
    isPlanned = false,
  ): Promise<void> {
    const ids = [...settingsById.keys()];
    const { source, settings, params } = parameterColumns({ id: ids }, [...settingsById.values()], isPlanned);
    await sendLater(
      tx,
      `UPDATE redirects SET (${SETTINGS_COLUMNS}) = (${settings}), updated_at = now(), version = version + 1
       FROM ${source} WHERE redirects.id = given.id AND redirects.id = ANY ($1::text[])`,
      params,
    );
  },

  /** Deletes locked redirects. Resolves to the hosts and the keys of path pages that data planes must remove. */
  async delete(tx: Queryable, ids: readonly string[]): Promise<string[]> {
    const served = await tx.query<{ host: string }>(
      `SELECT from_domain AS host FROM redirects WHERE id = ANY ($1) AND verified_at IS NOT NULL
       UNION ALL SELECT key FROM path_pages JOIN redirects ON redirects.id = redirect_id
       WHERE redirect_id = ANY ($1) AND verified_at IS NOT NULL`,
      [ids],
    );
    await deletedRedirects.delete(tx, ids);
    return served.map(({ host }) => host);
  },
};
