import type { CurrentUser } from '../../http/current-user.js';
import { type PagePosition, READ_PER_PAGE, type ReadRow } from '../../http/page-cursor.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';

export const OPERATOR_ACTIONS = [
  'user.suspend',
  'user.resume',
  'takedown.create',
  'takedown.lift',
  'domain.release',
  'epoch.begin',
] as const;

export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

export interface OperatorLogEntry extends PagePosition {
  readonly time: Date;
  readonly operatorId: string;
  readonly operatorEmail: string | null;
  readonly tokenId: string | null;
  readonly action: OperatorAction;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

type ReadEntry = OperatorLogEntry & ReadRow;

export interface LogFilter {
  readonly action?: OperatorAction | undefined;
  /** Part of the subject or of the operator's address. */
  readonly search?: string | undefined;
  readonly since?: Date | undefined;
  /** Inclusive. */
  readonly until?: Date | undefined;
}

/** Log of operators' actions. Each entry is written in the transaction of its action. */
export const operatorLog = {
  async add(
    tx: Queryable,
    { id, email, tokenId }: CurrentUser,
    entry: Pick<OperatorLogEntry, 'action' | 'subject' | 'detail'>,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO operator_log (id, operator_id, operator_email, token_id, action, subject, detail)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [newId(), id, email, tokenId ?? null, entry.action, entry.subject, JSON.stringify(entry.detail)],
    );
  },

  /** Logs the beginning of a new epoch of the ruleset. */
  addEpoch(
    tx: Queryable,
    user: CurrentUser,
    { head, previous }: { readonly head: string; readonly previous: string },
  ): Promise<void> {
    return operatorLog.add(tx, user, { action: 'epoch.begin', subject: head, detail: { previous } });
  },

  /** Reads a page, newest first, from up to `readPerPage` rows. @returns rows for `toReadPage` */
  page(
    source: Queryable,
    { at, id }: PagePosition,
    limit: number,
    { action, search, since, until }: LogFilter = {},
    readPerPage = READ_PER_PAGE,
  ): Promise<ReadEntry[]> {
    return source.query<ReadEntry>(
      `SELECT id, at::text AS at, at AS time, operator_id AS "operatorId", operator_email AS "operatorEmail",
         token_id AS "tokenId", action, subject, detail, "isMatch", place
       FROM (SELECT *, ($4::text IS NULL OR action = $4) AND
             ($5::text IS NULL OR strpos(lower(subject), lower($5)) > 0 OR strpos(operator_email, lower($5)) > 0) IS TRUE AS "isMatch",
           row_number() OVER (ORDER BY at DESC, id DESC) AS place
         FROM operator_log WHERE (at, id) < ($1::timestamptz, $2)
           AND at >= $6::timestamptz AND at < $7::timestamptz + interval '1 millisecond'
         ORDER BY at DESC, id DESC LIMIT ${readPerPage}) AS read
       WHERE "isMatch" OR place = ${readPerPage}
       ORDER BY read.at DESC, id DESC LIMIT $3`,
      [
        at,
        id,
        limit + 1,
        action ?? null,
        search ?? null,
        since?.toISOString() ?? '-infinity',
        until?.toISOString() ?? 'infinity',
      ],
    );
  },
};
