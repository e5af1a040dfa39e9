import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';

/** SQL expression of a new commit id. The first 12 digits of a random UUID are all random. */
export const NEW_COMMIT_ID = `left(replace(gen_random_uuid()::text, '-', ''), 12)`;

/** Columns of `ruleset_head` that form a version. Their names differ from those of other tables. */
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
