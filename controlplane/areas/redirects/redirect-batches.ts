import type { Queryable } from '../../storage/postgres/database.js';
import type { StoredSettings } from './redirect.js';
import type { Claim, NewRedirect, Obstacles } from './redirect-repository.js';
import { SETTINGS_COLUMNS, SETTINGS_TYPES, settingsValues } from './redirect-rows.js';

const SETTINGS_NAMES = SETTINGS_COLUMNS.split(',').map((name) => name.trim());
/** Columns of `settingsRowOf` with their types, for json_to_recordset. */
export const TYPED_SETTINGS = SETTINGS_NAMES.map((name, at) => `${name} ${SETTINGS_TYPES[at]}`).join(', ');

/** Stored redirects that prevent the creation of a new one. */
export type NewObstacles = Omit<Obstacles, 'ownCount'>;

/** Obstacles of several claims, and the redirects that their user has. */
export interface ObstaclesOfMany {
  /** One for each claim, in their order. */
  readonly obstacles: readonly NewObstacles[];
  readonly ownCount: number;
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
