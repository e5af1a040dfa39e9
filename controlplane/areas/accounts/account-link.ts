import { createHash, randomBytes } from 'node:crypto';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';

const SECRET_BYTES = 32;
/** Maximum number of expired links that one creation removes. */
const CLEANING_LIMIT = 100;

export type LinkPurpose = 'signup' | 'verify_email' | 'reset_password';

const LIFETIME_HOURS: Readonly<Record<LinkPurpose, number>> = {
  signup: 24,
  verify_email: 24,
  reset_password: 1,
};

export interface NewLink {
  readonly purpose: LinkPurpose;
  /** Absent for a signup: opening the link creates the account. */
  readonly userId?: string;
  readonly email: string;
  readonly passwordHash?: string;
}

/** A stored link. */
export interface AccountLink {
  readonly userId: string | null;
  readonly email: string;
  readonly passwordHash: string | null;
}

/**
 * Links in mails. Each is used once and proves that its user receives mail at an address. Only hashes of their tokens
 * are stored.
 */
export const accountLinks = {
  /** Resolves to the token of a new link. */
  async create(tx: Queryable, { purpose, userId, email, passwordHash }: NewLink): Promise<string> {
    await tx.query(
      `DELETE FROM account_links WHERE token_hash IN (
         SELECT token_hash FROM account_links WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [CLEANING_LIMIT],
    );
    const token = `wml_${randomBytes(SECRET_BYTES).toString('base64url')}`;
    await tx.query(
      `INSERT INTO account_links (token_hash, purpose, user_id, email, password_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(hours => $6))`,
      [hashOf(token), purpose, userId ?? null, email, passwordHash ?? null, LIFETIME_HOURS[purpose]],
    );
    return token;
  },

  /** Returns the newest signup of an address whose link was not opened yet. */
  async waitingSignup(source: Queryable, email: string): Promise<NewLink | undefined> {
    const [row] = await source.query<Pick<AccountLink, 'passwordHash'>>(
      `SELECT password_hash AS "passwordHash" FROM account_links WHERE purpose = 'signup' AND email = $1 AND expires_at > now()
       ORDER BY expires_at DESC LIMIT 1`,
      [email],
    );
    if (row === undefined) return undefined;
    const { passwordHash } = row;
    return { purpose: 'signup', email, ...(passwordHash !== null && { passwordHash }) };
  },

  async isValid(source: Queryable, token: string, purposes: readonly LinkPurpose[]): Promise<boolean> {
    const rows = await source.query(
      'SELECT 1 FROM account_links WHERE token_hash = $1 AND purpose = ANY ($2) AND expires_at > now()',
      [hashOf(token), purposes],
    );
    return rows.length > 0;
  },

  /** Consumes a link. Resolves to undefined when it is unknown, used or expired. */
  async take(
    tx: Queryable,
    token: string,
    purposes: readonly LinkPurpose[],
  ): Promise<AccountLink | undefined> {
    const [link] = await tx.query<AccountLink>(
      `DELETE FROM account_links WHERE token_hash = $1 AND purpose = ANY ($2) AND expires_at > now()
       RETURNING ${asMembers('user_id, email, password_hash')}`,
      [hashOf(token), purposes],
    );
    return link;
  },

  async deleteOfUser(tx: Queryable, userId: string): Promise<void> {
    await tx.query('DELETE FROM account_links WHERE user_id = $1', [userId]);
  },
};

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
