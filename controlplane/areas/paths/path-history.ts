import { inTurns } from '../../../shared/async/in-turns.js';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import type { Queryable } from '../../storage/postgres/database.js';
import {
  type Actor,
  type EntryState,
  entriesDelta,
  entriesDeltaInSteps,
  optionsDelta,
  type ReverseDelta,
  recordVersions,
} from '../history/public.js';
import type { Redirect } from '../redirects/public.js';
import type { EntrySettings } from './path-table.js';

/** Changes of a table as a whole. */
export type TableAction = 'paths.replaced' | 'paths.imported' | 'paths.published' | 'paths.restored';
type EntryAction = 'path.created' | 'path.updated' | 'path.deleted';

type StatedEntry = EntrySettings & { readonly id: number };

/** Actor and action of a change. */
export interface TableCause {
  readonly by: Actor;
  readonly action: TableAction;
}

interface Table {
  readonly options: PathOptions;
  readonly entries: readonly StatedEntry[];
}

/** Returns the members of an entry that versions of a redirect keep. */
export function entryState(entry: StatedEntry): EntryState {
  const { id, source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note } = entry;
  return { id, source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note };
}

const VERBS: Readonly<Record<EntryAction | TableAction, string>> = {
  'path.created': 'Added the path',
  'path.updated': 'Changed the path',
  'path.deleted': 'Deleted the path',
  'paths.replaced': 'Replaced the table of paths',
  'paths.imported': 'Imported paths',
  'paths.published': 'Published the staged table of paths',
  'paths.restored': 'Restored the previous table of paths',
};

/** Records a version of a locked redirect, in the transaction that changes an entry of its table. */
export function recordEntry(
  tx: Queryable,
  by: Actor,
  redirect: Redirect,
  action: EntryAction,
  { before, after }: { readonly before?: StatedEntry; readonly after?: StatedEntry },
): Promise<void> {
  const delta = entriesDelta(before ? [entryState(before)] : [], after ? [entryState(after)] : []);
  const summary = `${VERBS[action]} ${(after ?? before)?.source}`;
  return record(tx, by, redirect, action, delta, summary);
}

/** Returns the difference from a table back to the earlier one. */
export async function tableDelta(before: Table, after: Table): Promise<ReverseDelta> {
  const changed = await inTurns(
    entriesDeltaInSteps(before.entries.map(entryState), after.entries.map(entryState)),
  );
  return { ...optionsDelta(before.options, after.options), ...changed };
}

/** Does the same as `recordEntry` for a table as a whole. */
export async function recordTable(
  tx: Queryable,
  { by, action }: TableCause,
  redirect: Redirect,
  delta: ReverseDelta,
): Promise<void> {
  const count = Object.keys(delta.entries ?? {}).length;
  await record(tx, by, redirect, action, delta, `${VERBS[action]}: ${countOf(count)} changed`);
}

function record(
  tx: Queryable,
  by: Actor,
  { id: redirectId, fromDomain: name, userId }: Redirect,
  action: EntryAction | TableAction,
  delta: ReverseDelta,
  summary: string,
): Promise<void> {
  return recordVersions(tx, { userId, by, action, summary }, [{ redirectId, name, delta }]);
}

function countOf(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries} entries`;
}
