import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';

/** A new commit id, as an expression of SQL. The first 12 digits of a random UUID hold nothing but chance. */
export const NEW_COMMIT_ID = `left(replace(gen_random_uuid()::text, '-', ''), 12)`;

/** The columns of `ruleset_head` that make a version; their names do not collide with those of other tables. */
export const HEAD_COLUMNS = `ruleset_head.epoch AS head_epoch, ruleset_head.seq AS head_seq,
  ruleset_head.database_id || '-' || ruleset_head.commit_id AS head_lineage,
  ruleset_head.removals AS head_removals`;

/** A row of `HEAD_COLUMNS`. */
export interface HeadRow {
  readonly head_epoch: number;
  readonly head_seq: number;
  readonly head_lineage: string;
  readonly head_removals: number;
}

/** @throws when there is no row */
export function headIn([row]: readonly HeadRow[]): RulesetVersion {
  if (row === undefined) throw new Error('ruleset_head is empty: the database is damaged');
  return {
    epoch: row.head_epoch,
    seq: row.head_seq,
    lineage: row.head_lineage,
    removals: row.head_removals,
  };
}
