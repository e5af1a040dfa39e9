import type { Queryable } from '../../storage/postgres/database.js';
import type { StoredSettings } from './redirect.js';
import type { Claim, NewRedirect, Obstacles } from './redirect-repository.js';
import { SETTINGS_COLUMNS, SETTINGS_TYPES, settingsValues } from './redirect-rows.js';

const SETTINGS_NAMES = SETTINGS_COLUMNS.split(',').map((name) => name.trim());
/** Columns of `settingsRowOf` with their types, for json_to_recordset. */
export const TYPED_SETTINGS = SETTINGS_NAMES.map((name, at) => `${name} ${SETTINGS_TYPES[at]}`).join(', ');

/** Obstacles of several claims, and the redirects that their user has. */
export interface ObstaclesOfMany {
  /** One per claim, in their order. */
  readonly obstacles: readonly Omit<Obstacles, 'ownCount'>[];
  readonly ownCount: number;
}

/** The SQL for many new redirects at once. Each function is one or two statements, whatever the number. */
export const redirectBatches = {
  /** Does what `findObstacles` does for new redirects of one user. Sees only what is stored. */
  async findObstacles(
    tx: Queryable,
    userId: string,
    claims: readonly Omit<Claim, 'userId'>[],
  ): Promise<ObstaclesOfMany> {
    const obstacles = await tx.query<Omit<Obstacles, 'ownCount'>>(
      `SELECT EXISTS (SELECT FROM redirects
           WHERE user_id = $1 AND redirects.from_domain = claim.from_domain AND deleted_at IS NULL) AS "isOwn",
         claim.external_id IS NOT NULL AND EXISTS (SELECT FROM redirects
           WHERE user_id = $1 AND redirects.external_id = claim.external_id AND deleted_at IS NULL) AS "hasExternalId",
         EXISTS (SELECT FROM redirects LEFT JOIN domain_proofs ON redirect_id = redirects.id
           WHERE redirects.from_domain = claim.from_domain AND verified_at IS NOT NULL
             AND missing_since IS NULL) AS "isTaken",
         claim.from_domain = claim.to_host OR claim.from_domain IS NOT DISTINCT FROM claim.after_end_host
           OR EXISTS (SELECT FROM redirects WHERE redirects.from_domain IN (claim.to_host, claim.after_end_host)
             AND deleted_at IS NULL AND (verified_at IS NOT NULL OR user_id = $1)) AS "leadsOn"
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
         AS claim (from_domain, to_host, after_end_host, external_id, position) ORDER BY position`,
      [
        userId,
        claims.map(({ fromDomain }) => fromDomain),
        claims.map(({ toHost }) => toHost),
        claims.map(({ afterEndHost }) => afterEndHost),
        claims.map(({ externalId }) => externalId),
      ],
    );
    const [user] = await tx.query<{ redirect_count: number }>(
      'SELECT redirect_count FROM users WHERE id = $1',
      [userId],
    );
    return { obstacles, ownCount: user?.redirect_count ?? 0 };
  },

  /**
   * Inserts redirects of one user.
   *
   * @returns the time that those verified at once have
   */
  async insert(tx: Queryable, userId: string, redirects: readonly NewRedirect[]): Promise<Date> {
    await tx.query(
      `INSERT INTO redirects (id, user_id, from_domain, verification_value, verified_at, next_check_at,
         ${SETTINGS_COLUMNS})
       SELECT id, $1, from_domain, verification_value, CASE WHEN check_after IS NULL THEN now() END,
         now() + make_interval(secs => check_after), ${SETTINGS_COLUMNS}
       FROM json_to_recordset($2::text::json) AS redirect (id text, from_domain text, verification_value text,
         check_after float8, ${TYPED_SETTINGS})`,
      [userId, JSON.stringify(redirects.map(rowOf))],
    );
    const [row] = await tx.query<{ now: Date }>('SELECT now() AS now');
    if (row === undefined) throw new Error('a statement that returns one row returned none');
    return row.now;
  },
};

export type RedirectBatches = typeof redirectBatches;

function rowOf(redirect: NewRedirect): Readonly<Record<string, unknown>> {
  const { id, fromDomain, verificationValue, verification } = redirect;
  const row: Record<string, unknown> = { id, from_domain: fromDomain, verification_value: verificationValue };
  if (verification !== 'at-once') row.check_after = verification.firstCheckAfterSeconds;
  return { ...row, ...settingsRowOf(redirect) };
}

/** Returns settings by column. Null members are left out: they cost time on both sides. */
export function settingsRowOf(settings: StoredSettings): Readonly<Record<string, unknown>> {
  const row: Record<string, unknown> = {};
  const values = settingsValues(settings);
  for (const [at, name] of SETTINGS_NAMES.entries()) {
    const value = values[at];
    if (value === null) continue;
    row[name] = SETTINGS_TYPES[at]?.startsWith('json') === true ? JSON.parse(String(value)) : value;
  }
  return row;
}
