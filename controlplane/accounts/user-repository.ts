import type { Queryable } from '../database/database.js';
import type { User } from './user.js';

interface UserRow {
  readonly id: string;
  readonly email: string | null;
  readonly is_email_verified: boolean;
  readonly created_at: Date;
}

/** Only addresses that the issuer of a JWT vouches for are stored with its subject. */
const COLUMNS = `id, email, created_at,
  email IS NOT NULL AND external_subject IS NOT NULL AS is_email_verified`;

export interface NewUser {
  readonly id: string;
  readonly email?: string;
  readonly passwordHash?: string;
  /** Issuer and subject of a JWT. */
  readonly externalSubject?: string;
}

/** All SQL about users. */
export const userRepository = {
  /** Adds the user, unless its address or subject is another's already: then `undefined`. */
  async insert(tx: Queryable, user: NewUser): Promise<User | undefined> {
    const [row] = await tx.query<UserRow>(
      `INSERT INTO users (id, email, password_hash, external_subject) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [user.id, user.email ?? null, user.passwordHash ?? null, user.externalSubject ?? null],
    );
    return row && toUser(row);
  },

  async findById(source: Queryable, id: string): Promise<User | undefined> {
    const [row] = await source.query<UserRow>(`SELECT ${COLUMNS} FROM users WHERE id = $1`, [id]);
    return row && toUser(row);
  },

  async findByEmail(source: Queryable, email: string): Promise<User | undefined> {
    const [row] = await source.query<UserRow>(`SELECT ${COLUMNS} FROM users WHERE email = $1`, [email]);
    return row && toUser(row);
  },

  async findBySubject(source: Queryable, subject: string): Promise<User | undefined> {
    const [row] = await source.query<UserRow>(`SELECT ${COLUMNS} FROM users WHERE external_subject = $1`, [
      subject,
    ]);
    return row && toUser(row);
  },

  /** The user with the hash of its password, if it has one. */
  async findCredentials(
    source: Queryable,
    email: string,
  ): Promise<{ user: User; passwordHash: string | undefined } | undefined> {
    const [row] = await source.query<UserRow & { password_hash: string | null }>(
      `SELECT ${COLUMNS}, password_hash FROM users WHERE email = $1`,
      [email],
    );
    return row && { user: toUser(row), passwordHash: row.password_hash ?? undefined };
  },

  /** Whether nobody can log in as the user, nor be it by a JWT: it has the tokens it was given and nothing else. */
  async isWithoutLogin(source: Queryable, id: string): Promise<boolean> {
    const rows = await source.query(
      'SELECT 1 FROM users WHERE id = $1 AND password_hash IS NULL AND external_subject IS NULL',
      [id],
    );
    return rows.length > 0;
  },

  async hasAny(source: Queryable): Promise<boolean> {
    return (await source.query('SELECT 1 FROM users LIMIT 1')).length > 0;
  },
};

function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    isEmailVerified: row.is_email_verified,
    createdAt: row.created_at,
  };
}
