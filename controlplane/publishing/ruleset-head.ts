import { isPageKey } from '../../shared/paths/published-paths.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
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

/**
 * Returns a version between `since` and `head`. The database stores the number of removals only for the head. For other
 * versions, this function counts the removals after `since`.
 *
 * @param at the number of the version and its commit; the commit is null if an older release did not store it
 * @param changes from `since` up to the version
 */
export function versionBetween(
  since: RulesetVersion,
  head: RulesetVersion,
  at: { readonly seq: number; readonly commit: string | null },
  changes: readonly RulesetChange[],
): RulesetVersion {
  const { epoch, lineage, removals } = head;
  const { seq, commit } = at;
  if (lineage === undefined || removals === undefined || commit === null) return { epoch, seq };
  const [database] = lineage.split('-');
  const removed = changes.filter(({ host, redirect }) => redirect === null && !isPageKey(host)).length;
  return {
    epoch,
    seq,
    lineage: `${database}-${commit}`,
    removals: Math.min((since.removals ?? removals) + removed, removals),
  };
}
