import { type PagePosition, READ_PER_PAGE, type ReadRow } from '../../http/page-cursor.js';
import type { Queryable } from '../../storage/postgres/database.js';

export interface ListedUser extends PagePosition {
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly createdAt: Date;
  readonly redirects: number;
  readonly suspendedAt: Date | null;
  readonly suspensionReason: string | null;
  readonly eraseAt: Date | null;
}

type ReadUser = ListedUser & ReadRow;

export interface UserFilter {
  /** Part of an address, or an id. */
  readonly search?: string;
  readonly isSuspended?: boolean;
}

const COLUMNS = `users.id, users.created_at::text AS at, users.email, users.created_at AS "createdAt",
    users.email IS NOT NULL AND (external_subject IS NOT NULL OR email_verified_at IS NOT NULL) AS "isEmailVerified",
    redirect_count AS redirects, suspensions.created_at AS "suspendedAt", suspensions.reason AS "suspensionReason",
    erase_at AS "eraseAt"`;
const STATES = `LEFT JOIN suspensions ON suspensions.user_id = users.id
    LEFT JOIN account_deletions ON account_deletions.user_id = users.id`;

/** All SQL about users as operators see them. */
export const userAdminRepository = {
  /** Reads a page, newest first, from up to `readPerPage` rows. @returns rows for `toReadPage` */
  page(
    source: Queryable,
    { at, id }: PagePosition,
    limit: number,
    { search, isSuspended }: UserFilter,
    readPerPage = READ_PER_PAGE,
  ): Promise<ReadUser[]> {
    return source.query<ReadUser>(
      `WITH read AS (
         SELECT users.id AS read_id, users.created_at AS read_at,
           (($4::text IS NULL OR strpos(users.email, lower($4)) > 0 OR users.id = $4)
             AND ($5::boolean IS NULL OR (suspensions.user_id IS NOT NULL) = $5)) IS TRUE AS "isMatch",
           row_number() OVER (ORDER BY users.created_at DESC, users.id DESC) AS place
         FROM users LEFT JOIN suspensions ON suspensions.user_id = users.id
         WHERE (users.created_at, users.id) < ($1::timestamptz, $2)
         ORDER BY users.created_at DESC, users.id DESC LIMIT ${readPerPage}),
       page AS (SELECT * FROM read WHERE "isMatch" OR place = ${readPerPage}
         ORDER BY read_at DESC, read_id DESC LIMIT $3)
       SELECT ${COLUMNS}, "isMatch", place FROM page JOIN users ON users.id = read_id ${STATES} ORDER BY place`,
      [at, id, limit + 1, search ?? null, isSuspended ?? null],
    );
  },

  async find(source: Queryable, id: string): Promise<ListedUser | undefined> {
    return (
      await source.query<ListedUser>(`SELECT ${COLUMNS} FROM users ${STATES} WHERE users.id = $1`, [id])
    )[0];
  },

  /** Resolves to whether the user was not suspended before. */
  async suspend(tx: Queryable, id: string, reason: string): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO suspensions (user_id, reason) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1`,
      [id, reason],
    );
    return rows.length > 0;
  },

  /** Resolves to whether the user was suspended. */
  async resume(tx: Queryable, id: string): Promise<boolean> {
    return (await tx.query('DELETE FROM suspensions WHERE user_id = $1 RETURNING 1', [id])).length > 0;
  },
};
