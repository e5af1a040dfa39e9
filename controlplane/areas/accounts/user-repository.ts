import type { Queryable } from '../../storage/postgres/database.js';
import type { User } from './user.js';

export const IS_SUSPENDED = 'EXISTS (SELECT FROM suspensions WHERE user_id = users.id) AS "isSuspended"';

const IS_WITHOUT_LOGIN = 'password_hash IS NULL AND external_subject IS NULL';

/** Columns of a user. An address is stored with a JWT's subject only if the issuer has verified it. */
const COLUMNS = `id, email, created_at AS "createdAt", password_hash IS NOT NULL AS "hasPassword", ${IS_SUSPENDED},
  email IS NOT NULL AND (external_subject IS NOT NULL OR email_verified_at IS NOT NULL) AS "isEmailVerified",
  (SELECT erase_at FROM account_deletions WHERE user_id = users.id) AS "eraseAt"`;

export interface NewUser {
  readonly id: string;
  readonly email?: string;
  readonly passwordHash?: string;
  /** Issuer and subject of a JWT. */
  readonly externalSubject?: string;
  /** Whether the user has proved the address by a mail. Default: no. */
  readonly isEmailVerified?: boolean;
}

/** A user with the stored credentials. */
export interface Credentials {
  readonly user: User;
  readonly passwordHash: string | undefined;
  /** Whether spaces around the password count. False for passwords from versions that trimmed them. */
  readonly isExact: boolean;
}

function findUserBy(column: 'id' | 'email' | 'external_subject') {
  return async (source: Queryable, value: string): Promise<User | undefined> => {
    const [row] = await source.query<User>(`SELECT ${COLUMNS} FROM users WHERE ${column} = $1`, [value]);
    return row;
  };
}

function findCredentialsBy(column: 'id' | 'email') {
  return async (source: Queryable, value: string): Promise<Credentials | undefined> => {
    const [row] = await source.query<CredentialsRow>(
      `SELECT ${COLUMNS}, password_hash AS "passwordHash", password_is_exact AS "isExact" FROM users WHERE ${column} = $1`,
      [value],
    );
    if (row === undefined) return undefined;
    const { passwordHash, isExact, ...user } = row;
    return { user, passwordHash: passwordHash ?? undefined, isExact };
  };
}

type CredentialsRow = User & { readonly passwordHash: string | null; readonly isExact: boolean };

/** All SQL about users. */
export const userRepository = {
  /** Adds the user. Returns `undefined` if another user has the address or the subject. */
  async insert(tx: Queryable, user: NewUser): Promise<User | undefined> {
    const [row] = await tx.query<User>(
      `INSERT INTO users (id, email, password_hash, external_subject, password_is_exact, email_verified_at)
       VALUES ($1, $2, $3, $4, true, CASE WHEN $5 THEN now() END) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [
        user.id,
        user.email ?? null,
        user.passwordHash ?? null,
        user.externalSubject ?? null,
        user.isEmailVerified ?? false,
      ],
    );
    return row;
  },

  findById: findUserBy('id'),
  findByEmail: findUserBy('email'),
  findBySubject: findUserBy('external_subject'),
  /** Returns the user of an address with the hash of its password. */
  findCredentials: findCredentialsBy('email'),
  findCredentialsById: findCredentialsBy('id'),

  async setPassword(tx: Queryable, id: string, passwordHash: string): Promise<void> {
    await tx.query(
      `UPDATE users SET password_hash = $2, password_is_exact = true,
         made_without_login = made_without_login OR (${IS_WITHOUT_LOGIN}) WHERE id = $1`,
      [id, passwordHash],
    );
  },

  /** Sets the password of a user who has none and does not log in with a JWT. Resolves to false for other users. */
  async setFirstPassword(tx: Queryable, id: string, passwordHash: string): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE users SET password_hash = $2, password_is_exact = true, made_without_login = true
       WHERE id = $1 AND ${IS_WITHOUT_LOGIN} RETURNING 1`,
      [id, passwordHash],
    );
    return rows.length > 0;
  },

  async markEmailVerified(tx: Queryable, id: string): Promise<void> {
    await tx.query('UPDATE users SET email_verified_at = now() WHERE id = $1 AND email_verified_at IS NULL', [
      id,
    ]);
  },

  /** Resolves to whether the user was made with neither a password nor a JWT subject. It may have set a password since. */
  async wasMadeWithoutLogin(source: Queryable, id: string): Promise<boolean> {
    const rows = await source.query(
      `SELECT 1 FROM users WHERE id = $1 AND (made_without_login OR (${IS_WITHOUT_LOGIN}))`,
      [id],
    );
    return rows.length > 0;
  },

  /** Returns whether the user logs in with a JWT. */
  async isExternal(source: Queryable, id: string): Promise<boolean> {
    const rows = await source.query('SELECT 1 FROM users WHERE id = $1 AND external_subject IS NOT NULL', [
      id,
    ]);
    return rows.length > 0;
  },

  async hasAny(source: Queryable): Promise<boolean> {
    return (await source.query('SELECT 1 FROM users LIMIT 1')).length > 0;
  },
};
