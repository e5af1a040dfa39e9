import type { CurrentUser } from '../../http/current-user.js';
import type { PagePosition } from '../../http/page-cursor.js';
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

  /** Reads a page, newest first, with one row more than `limit`. */
  page(
    source: Queryable,
    { at, id }: PagePosition,
    limit: number,
    { action, search, since, until }: LogFilter = {},
  ): Promise<OperatorLogEntry[]> {
    return source.query<OperatorLogEntry>(
      `SELECT id, at::text AS at, at AS time, operator_id AS "operatorId", operator_email AS "operatorEmail",
         token_id AS "tokenId", action, subject, detail
       FROM operator_log WHERE (operator_log.at, id) < ($1::timestamptz, $2)
         AND ($4::text IS NULL OR action = $4)
         AND ($5::text IS NULL OR strpos(lower(subject), lower($5)) > 0 OR strpos(operator_email, lower($5)) > 0)
         AND operator_log.at >= $6::timestamptz AND operator_log.at < $7::timestamptz + interval '1 millisecond'
       ORDER BY operator_log.at DESC, id DESC LIMIT $3`,
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
