import { type Scope, scopesAmong } from '../../http/scopes.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { AccessToken } from './access-token.js';
import { STANDING_COLUMNS } from './user-repository.js';

interface TokenRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly token_hash: Uint8Array;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
  readonly is_session: boolean;
  readonly is_cookie: boolean;
  readonly user_agent: string | null;
}

const COLUMNS =
  'id, user_id, name, token_hash, scopes, expires_at, last_used_at, created_at, is_session, is_cookie, user_agent';

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Whether a log-in created it. Default: no. */
  readonly isSession?: boolean;
  /** The browser of a session with a cookie. Default: none. */
  readonly userAgent?: string;
}

/** A token, and the state of its user. */
export interface KnownToken {
  readonly token: AccessToken;
  readonly email: string | null;
  readonly isSuspended: boolean;
  readonly isClosing: boolean;
}

/** All SQL about tokens. */
export const tokenRepository = {
  /** Adds the token. Returns `undefined` if its hash exists. */
  async insert(tx: Queryable, token: NewToken): Promise<AccessToken | undefined> {
    const [row] = await tx.query<TokenRow>(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, expires_at, is_session,
         is_cookie, user_agent)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text IS NOT NULL, $8) ON CONFLICT (token_hash) DO NOTHING RETURNING ${COLUMNS}`,
      valuesOf(token),
    );
    return row && toToken(row);
  },

  /**
   * Adds a log-in. Returns `undefined` if the password has changed since it was checked. The lock makes a change of
   * the password wait for the log-in, or the log-in wait for the change.
   */
  async insertSession(
    tx: Queryable,
    token: NewToken,
    passwordHash: string | undefined,
  ): Promise<AccessToken | undefined> {
    const [row] = await tx.query<TokenRow>(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, expires_at, is_session, is_cookie, user_agent)
       SELECT $1, id, $3, $4, $5, $6, $7, $8::text IS NOT NULL, $8 FROM users
       WHERE id = $2 AND password_hash IS NOT DISTINCT FROM $9 FOR SHARE RETURNING ${COLUMNS}`,
      [...valuesOf(token), passwordHash ?? null],
    );
    return row && toToken(row);
  },

  /** Finds a token by its id, if its user logs in with a JWT. */
  async findOfExternalUser(source: Queryable, id: string): Promise<AccessToken | undefined> {
    const [row] = await source.query<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens WHERE id = $1
         AND EXISTS (SELECT FROM users WHERE users.id = user_id AND external_subject IS NOT NULL)`,
      [id],
    );
    return row && toToken(row);
  },

  async findById(source: Queryable, id: string): Promise<AccessToken | undefined> {
    const [row] = await source.query<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE id = $1`, [id]);
    return row && toToken(row);
  },

  /** The token with facts about its user. */
  async findByHash(source: Queryable, hash: Buffer): Promise<KnownToken | undefined> {
    const columns = COLUMNS.split(', ').map((column) => `tokens.${column}`);
    const [row] = await source.query<
      TokenRow & { email: string | null; is_suspended: boolean; is_closing: boolean }
    >(
      `SELECT ${columns.join(', ')}, users.email, ${STANDING_COLUMNS}
       FROM tokens JOIN users ON users.id = tokens.user_id WHERE tokens.token_hash = $1`,
      [hash],
    );
    if (row === undefined) return undefined;
    return {
      token: toToken(row),
      email: row.email,
      isSuspended: row.is_suspended,
      isClosing: row.is_closing,
    };
  },

  /** Newest first. */
  async listOfUser(source: Queryable, userId: string): Promise<AccessToken[]> {
    const rows = await source.query<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens WHERE user_id = $1 ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows.map(toToken);
  },

  /** Counts valid tokens without log-ins. Only these count against the limit for new tokens. */
  async countUnexpiredOfUser(source: Queryable, userId: string): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      `SELECT count(*) AS count FROM tokens
       WHERE user_id = $1 AND NOT is_session AND (expires_at IS NULL OR expires_at > now())`,
      [userId],
    );
    return row?.count ?? 0;
  },

  async delete(tx: Queryable, id: string): Promise<void> {
    await tx.query('DELETE FROM tokens WHERE id = $1', [id]);
  },

  /** Deletes a user's tokens that ended more than `days` ago. Until then they are distinguished from unknown ones. */
  async deleteLongExpired(tx: Queryable, userId: string, days: number): Promise<void> {
    await tx.query(
      'DELETE FROM tokens WHERE user_id = $1 AND expires_at < now() - make_interval(days => $2)',
      [userId, days],
    );
  },

  /** Valid log-ins, newest first. */
  async listSessions(source: Queryable, userId: string): Promise<AccessToken[]> {
    const rows = await source.query<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens WHERE user_id = $1 AND is_session AND expires_at > now()
       ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows.map(toToken);
  },

  /** Ends all log-ins of a user except this one. Resolves to the hashes of their tokens. */
  async deleteSessions(tx: Queryable, userId: string, exceptId: string | undefined): Promise<Buffer[]> {
    const rows = await tx.query<{ token_hash: Uint8Array }>(
      `DELETE FROM tokens WHERE user_id = $1 AND is_session AND id IS DISTINCT FROM $2 RETURNING token_hash`,
      [userId, exceptId ?? null],
    );
    return rows.map((row) => Buffer.from(row.token_hash));
  },

  /** Ends all log-ins of a user except the newest `kept`. Resolves to the hashes of their tokens. */
  async deleteOldSessions(tx: Queryable, userId: string, kept: number): Promise<Buffer[]> {
    const rows = await tx.query<{ token_hash: Uint8Array }>(
      `DELETE FROM tokens WHERE id IN (
         SELECT id FROM tokens WHERE user_id = $1 AND is_session ORDER BY created_at DESC, id DESC OFFSET $2)
       RETURNING token_hash`,
      [userId, kept],
    );
    return rows.map((row) => Buffer.from(row.token_hash));
  },

  async markUsed(source: Queryable, id: string, usedAt: Date): Promise<void> {
    await source.query(
      'UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)',
      [id, usedAt],
    );
  },
};

function valuesOf(token: NewToken) {
  return [
    token.id,
    token.userId,
    token.name,
    token.hash,
    [...token.scopes],
    token.expiresAt,
    token.isSession ?? false,
    token.userAgent ?? null,
  ];
}

function toToken(row: TokenRow): AccessToken {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    // PGlite returns a view, pg a Buffer.
    hash: Buffer.from(row.token_hash),
    scopes: scopesAmong(row.scopes),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
    isSession: row.is_session,
    isCookie: row.is_cookie,
    userAgent: row.user_agent,
  };
}
