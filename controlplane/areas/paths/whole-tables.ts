import { inTurns } from '../../../shared/async/in-turns.js';
import type { PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import type { PreparedEntry } from '../../../shared/paths/publish-table.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { requireEntryRoom } from './entry-limit.js';
import { tableDelta } from './path-history.js';
import { pathRepository } from './path-repository.js';
import type { EntrySettings, GivenTable } from './path-table.js';
import { tableOfRedirect } from './table-lock.js';
import {
  type CausedChange,
  checkAndCollapse,
  placeAll,
  replaceTable,
  type TableWritten,
  writeTable,
} from './table-replacement.js';

/** A checked table that is ready for publication. */
export interface CheckedWholeTable {
  readonly options: PathOptions;
  /** All entries, in the order of the given table. */
  readonly entries: readonly EntrySettings[];
  /** The enabled entries. Their ids are indexes of `entries`, plus 1. */
  readonly prepared: readonly PreparedEntry[];
  readonly diagnostics: readonly PathDiagnostic[];
}

/** An earlier table, with the ids of its entries. */
export interface FormerTable {
  readonly options: PathOptions;
  readonly former: readonly (EntrySettings & { readonly id: number })[];
}

/**
 * Replaces a table inside a transaction that holds the lock of the redirect. Absent options stay.
 *
 * @param wanted with the redirect as this transaction writes it
 * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP with the entry's index in the field, or PLAN_LIMIT_REACHED
 */
export async function replaceWholeTable(
  wanted: Omit<CausedChange, 'table'>,
  { plan }: CurrentUser,
  given: GivenTable | FormerTable,
  collapse = false,
): Promise<TableWritten> {
  const { tx, redirect } = wanted;
  const table = await tableOfRedirect(tx, redirect.id);
  const change = { ...wanted, table };
  if ('former' in given) {
    const live = await pathRepository.allEntries(tx, redirect.id);
    const delta = await tableDelta({ ...table, entries: live }, { ...given, entries: given.former });
    if (Object.keys(delta).length === 0) {
      const { version } = table;
      return { total: live.length, diagnostics: [], version, collapsedIds: [], delta };
    }
    // After a downgrade, a table may keep its length.
    if (given.former.length > live.length) requireEntryRoom(plan, 0, given.former.length);
    const createdAt = new Map(live.map((entry) => [entry.id, entry.createdAt]));
    const named = given.former.map((entry) => ({ ...entry, ...timeOf(createdAt.get(entry.id)) }));
    return writeTable(change, given.options, named, { earlier: live });
  }
  requireEntryRoom(plan, 0, given.entries.length);
  return replaceTable(change, { ...table.options, ...given.options }, given.entries, collapse);
}

/** Does the checks of `replaceWholeTable` without writing. */
export async function checkWholeTable(
  tx: Queryable,
  { plan }: CurrentUser,
  redirect: Redirect,
  given: GivenTable | FormerTable,
  collapse = false,
): Promise<CheckedWholeTable> {
  const { options } = given;
  const entries = 'former' in given ? given.former : given.entries;
  const table = await tableOfRedirect(tx, redirect.id);
  if (!('former' in given && entries.length <= table.entryCount)) requireEntryRoom(plan, 0, entries.length);
  const merged = { ...table, options: { ...table.options, ...options } };
  const numbered = entries.map((entry, index) => ({ ...entry, id: index + 1 }));
  const change = { tx, redirect };
  const collapsed = await checkAndCollapse(change, merged.options, numbered, collapse);
  // Refuses disabled entries that are not valid.
  await inTurns(placeAll(redirect, merged, collapsed.entries));
  return {
    options: merged.options,
    entries: collapsed.entries,
    prepared: collapsed.checked.entries,
    diagnostics: collapsed.checked.diagnostics,
  };
}

function timeOf(createdAt: Date | undefined): { readonly createdAt?: Date } {
  return createdAt === undefined ? {} : { createdAt };
}
