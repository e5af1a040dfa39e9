import type { Queryable } from '../database/database.js';
import type { AccessToken } from './access-token.js';
import { type Scope, scopesAmong } from './scopes.js';

interface TokenRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly token_hash: Uint8Array;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

const COLUMNS = 'id, user_id, name, token_hash, scopes, expires_at, last_used_at, created_at';

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Whether logging in has made it. Default: no. */
  readonly isSession?: boolean;
}

/** All SQL about tokens. */
export const tokenRepository = {
  /** Adds the token, unless there is one of this hash: then `undefined`. */
  async insert(tx: Queryable, token: NewToken): Promise<AccessToken | undefined> {
    const [row] = await tx.query<TokenRow>(
      `INSERT INTO tokens (id, user_id, name, token_hash, scopes, expires_at, is_session)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (token_hash) DO NOTHING RETURNING ${COLUMNS}`,
      [
        token.id,
        token.userId,
        token.name,
        token.hash,
        [...token.scopes],
        token.expiresAt,
        token.isSession ?? false,
      ],
    );
    return row && toToken(row);
  },

  async findById(source: Queryable, id: string): Promise<AccessToken | undefined> {
    const [row] = await source.query<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE id = $1`, [id]);
    return row && toToken(row);
  },

  /** The token with the address of its user. */
  async findByHash(
    source: Queryable,
    hash: Buffer,
  ): Promise<{ token: AccessToken; email: string | null } | undefined> {
    const columns = COLUMNS.split(', ').map((column) => `tokens.${column}`);
    const [row] = await source.query<TokenRow & { email: string | null }>(
      `SELECT ${columns.join(', ')}, users.email FROM tokens JOIN users ON users.id = tokens.user_id
       WHERE tokens.token_hash = $1`,
      [hash],
    );
    return row && { token: toToken(row), email: row.email };
  },

  /** Newest first. */
  async listOfUser(source: Queryable, userId: string): Promise<AccessToken[]> {
    const rows = await source.query<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens WHERE user_id = $1 ORDER BY created_at DESC, id DESC`,
      [userId],
    );
    return rows.map(toToken);
  },

  /** Counts valid tokens without logins. Only these can reach the limit for new tokens. */
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

  /** Forgets a user's tokens that ended more than `days` ago: until then they can be told from unknown ones. */
  async deleteLongExpired(tx: Queryable, userId: string, days: number): Promise<void> {
    await tx.query(
      'DELETE FROM tokens WHERE user_id = $1 AND expires_at < now() - make_interval(days => $2)',
      [userId, days],
    );
  },

  /** Ends all log-ins of a user but the newest `kept`. Resolves to the hashes of their tokens. */
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
  };
}
