import {
  commitOf,
  compareVersions,
  differ,
  isOtherDatabase,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import type { Database, Queryable } from '../storage/postgres/database.js';
import { SERVED } from './redirect-definitions.js';
import { HEAD_COLUMNS, type HeadRow, headIn, NEW_COMMIT_ID } from './ruleset-head.js';
import { TAKEN_DOWN } from './taken-down.js';

/**
 * Relation of a served version to the database.
 *
 * - `known`: the version is part of the database's history, or too old to decide.
 * - `ahead`: its number is higher than the database's. The database has lost commits: it was restored or is damaged.
 * - `diverged`: the database has other content under the same numbers.
 * - `foreign`: another database made it.
 */
export type Relation = 'known' | 'ahead' | 'diverged' | 'foreign';

/** The history of rulesets in the database. Can start a new epoch. */
export interface RulesetHistory {
  relationOf(served: RulesetVersion): Promise<{ readonly relation: Relation; readonly head: RulesetVersion }>;
  /** Returns the number of hosts that the database would serve. */
  countHosts(): Promise<number>;
  /**
   * Starts an epoch after that of `beyond`, unless the database already has a later one.
   *
   * @param permittedLoss number of hosts that may be missing compared with `beyond`, without a commit that removed them
   * @param note called in the transaction, with the new head
   * @returns the new head
   */
  beginEpoch(beyond: RulesetVersion, permittedLoss: number, note?: NoteEpoch): Promise<RulesetVersion>;
}

/** Records a new epoch in its transaction. */
export type NoteEpoch = (tx: Queryable, head: RulesetVersion) => Promise<void>;

export function createRulesetHistory(database: Database): RulesetHistory {
  return {
    async relationOf(served) {
      const rows = await database.query<HeadRow & { readonly commit_there: string | null }>(
        `SELECT ${HEAD_COLUMNS}, (SELECT commit_id FROM ruleset_changes WHERE epoch = $1 AND seq = $2) AS commit_there
         FROM ruleset_head`,
        [served.epoch, served.seq],
      );
      const head = headIn(rows);
      return { head, relation: relationTo(head, served, rows[0]?.commit_there ?? undefined) };
    },

    async countHosts() {
      const [row] = await database.query<{ hosts: number }>(
        `SELECT count(*) AS hosts FROM (
           SELECT from_domain FROM ${SERVED} UNION SELECT taken_down_host FROM ${TAKEN_DOWN}) AS served_hosts`,
      );
      return row?.hosts ?? 0;
    },

    beginEpoch: (beyond, permittedLoss, note) =>
      database.transaction(async (tx) => {
        await tx.query(
          `UPDATE ruleset_head SET epoch = greatest($1::bigint + 1, extract(epoch FROM now())::bigint), seq = 0,
             commit_id = ${NEW_COMMIT_ID}, removals = greatest(removals, $2::bigint) + $3::bigint
           WHERE epoch <= $1`,
          [beyond.epoch, beyond.removals ?? 0, permittedLoss],
        );
        const head = headIn(await tx.query<HeadRow>(`SELECT ${HEAD_COLUMNS} FROM ruleset_head`));
        await note?.(tx, head);
        return head;
      }),
  };
}

function relationTo(head: RulesetVersion, served: RulesetVersion, commitThere: string | undefined): Relation {
  if (isOtherDatabase(served, head)) return 'foreign';
  const order = compareVersions(served, head);
  if (order > 0) return 'ahead';
  const commit = order === 0 ? commitOf(head) : commitThere;
  return differ(commitOf(served), commit) ? 'diverged' : 'known';
}
