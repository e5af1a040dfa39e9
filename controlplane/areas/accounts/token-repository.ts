import { type Scope, scopesAmong } from '../../http/scopes.js';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { AccessToken } from './access-token.js';
import { IS_SUSPENDED } from './user-repository.js';

const COLUMNS = `token_hash AS hash, ${asMembers(
  'id, user_id, name, scopes, expires_at, last_used_at, created_at, is_session, is_cookie, user_agent',
)}`;

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
    const [row] = await tx.query<AccessToken>(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, expires_at, is_session,
         is_cookie, user_agent)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text IS NOT NULL, $8) ON CONFLICT (token_hash) DO NOTHING RETURNING ${COLUMNS}`,
      valuesOf(token),
    );
    return row && withKnownScopes(row);
  },

  /**
   * Adds a log-in. Returns `undefined` if the password has changed since it was checked. The lock orders the log-in and
   * a concurrent change of the password.
   */
  async insertSession(
    tx: Queryable,
    token: NewToken,
    passwordHash: string | undefined,
  ): Promise<AccessToken | undefined> {
    const [row] = await tx.query<AccessToken>(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, expires_at, is_session, is_cookie, user_agent)
       SELECT $1, id, $3, $4, $5, $6, $7, $8::text IS NOT NULL, $8 FROM users
       WHERE id = $2 AND password_hash IS NOT DISTINCT FROM $9 FOR SHARE RETURNING ${COLUMNS}`,
      [...valuesOf(token), passwordHash ?? null],
    );
    return row && withKnownScopes(row);
  },

  /** Finds a token by its id, if its user logs in with a JWT. */
  async findOfExternalUser(source: Queryable, id: string): Promise<AccessToken | undefined> {
    const [row] = await source.query<AccessToken>(
      `SELECT ${COLUMNS} FROM tokens WHERE id = $1
         AND EXISTS (SELECT FROM users WHERE users.id = user_id AND external_subject IS NOT NULL)`,
      [id],
    );
    return row && withKnownScopes(row);
  },

  async findById(source: Queryable, id: string): Promise<AccessToken | undefined> {
    const [row] = await source.query<AccessToken>(`SELECT ${COLUMNS} FROM tokens WHERE id = $1`, [id]);
    return row && withKnownScopes(row);
  },

  /** Returns the token with facts about its user. */
  async findByHash(source: Queryable, hash: Buffer): Promise<KnownToken | undefined> {
    const [row] = await source.query<Omit<KnownToken, 'token'> & AccessToken>(
      `SELECT tokens.*, users.email, ${IS_SUSPENDED},
         EXISTS (SELECT FROM account_deletions WHERE user_id = users.id) AS "isClosing"
       FROM (SELECT ${COLUMNS} FROM tokens WHERE tokens.token_hash = $1) AS tokens JOIN users ON users.id = tokens."userId"`,
      [hash],
    );
    if (row === undefined) return undefined;
    const { email, isSuspended, isClosing, ...token } = row;
    return { token: withKnownScopes(token), email, isSuspended, isClosing };
  },

  /** Returns the tokens of a user, newest first. */
  async listOfUser(source: Queryable, userId: string): Promise<AccessToken[]> {
    const rows = await source.query<AccessToken>(
      `SELECT ${COLUMNS} FROM tokens WHERE user_id = $1 ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows.map(withKnownScopes);
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

  /**
   * Deletes a user's tokens that ended more than `days` ago. Until then they get a different error than unknown tokens.
   */
  async deleteLongExpired(tx: Queryable, userId: string, days: number): Promise<void> {
    await tx.query(
      'DELETE FROM tokens WHERE user_id = $1 AND expires_at < now() - make_interval(days => $2)',
      [userId, days],
    );
  },

  /** Returns valid log-ins, newest first. */
  async listSessions(source: Queryable, userId: string): Promise<AccessToken[]> {
    const rows = await source.query<AccessToken>(
      `SELECT ${COLUMNS} FROM tokens WHERE user_id = $1 AND is_session AND expires_at > now()
       ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows.map(withKnownScopes);
  },

  /** Ends all log-ins of a user except this one. Resolves to the hashes of their tokens. */
  async deleteSessions(tx: Queryable, userId: string, exceptId: string | undefined): Promise<Buffer[]> {
    const rows = await tx.query<Pick<AccessToken, 'hash'>>(
      `DELETE FROM tokens WHERE user_id = $1 AND is_session AND id IS DISTINCT FROM $2 RETURNING token_hash AS hash`,
      [userId, exceptId ?? null],
    );
    return rows.map(({ hash }) => hash);
  },

  /** Ends all log-ins of a user except the newest `kept`. Resolves to the hashes of their tokens. */
  async deleteOldSessions(tx: Queryable, userId: string, kept: number): Promise<Buffer[]> {
    const rows = await tx.query<Pick<AccessToken, 'hash'>>(
      `DELETE FROM tokens WHERE id IN (
         SELECT id FROM tokens WHERE user_id = $1 AND is_session ORDER BY created_at DESC, id DESC OFFSET $2)
       RETURNING token_hash AS hash`,
      [userId, kept],
    );
    return rows.map(({ hash }) => hash);
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

/** Removes unknown scopes, which an earlier release may have stored. */
function withKnownScopes(token: AccessToken): AccessToken {
  return { ...token, scopes: scopesAmong(token.scopes) };
}
