import { randomInt } from 'node:crypto';
import type { CheckedTable, TableFault } from '../../../shared/paths/check-table.js';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import { hashKey } from '../../../shared/paths/path-key.js';
import { type PreparedEntry, prepareEntry } from '../../../shared/paths/publish-table.js';
import { AppError } from '../../errors/app-error.js';
import type { Redirect } from '../redirects/public.js';
import { createPageWriter, type TableChange } from './page-writer.js';
import type { PathRepository, PlacedEntry } from './path-repository.js';
import type { EntrySettings, StoredTable } from './path-table.js';

/** Writes whole tables. */
export interface TableWriting {
  /**
   * Replaces all entries.
   *
   * @param prepared the enabled entries, checked
   * @throws {AppError} VALIDATION_ERROR for a disabled entry that is not valid
   */
  replaceAll(
    change: TableChange,
    entries: readonly NamedEntry[],
    prepared: readonly PreparedEntry[],
  ): Promise<void>;
}

export function createTableWriting(repository: PathRepository): TableWriting {
  const pages = createPageWriter(repository);
  return {
    async replaceAll(change, entries, prepared) {
      const { tx, redirect, table } = change;
      await repository.saveTable(tx, table);
      await repository.deleteEntries(tx, redirect.id);
      await repository.insertEntries(tx, redirect.id, placeAll(redirect, table, entries));
      await pages.writeAll(change, prepared);
    },
  };
}

export function newTable(redirectId: string): StoredTable {
  return {
    redirectId,
    salt: randomInt(2 ** 32),
    options: DEFAULT_PATH_OPTIONS,
    entryCount: 0,
    published: null,
  };
}

export function checkedRedirect({ fromDomain, toDomain, queryForwarding }: Redirect) {
  return { host: fromDomain, destination: toDomain, queryForwarding };
}

function placeAll(
  redirect: Redirect,
  { options, salt }: StoredTable,
  entries: readonly NamedEntry[],
): PlacedEntry[] {
  return entries.map((entry, index) => {
    // Enabled entries passed already; disabled ones must be valid as well.
    const prepared = prepareEntry(entry, options, { host: redirect.fromDomain });
    if ('field' in prepared) throw refusal(prepared, `entries.${index}.${prepared.field}`);
    return { ...entry, hash: hashKey(prepared.published.key, salt), shape: prepared.shape };
  });
}

/** An entry with its id, which that of an earlier table may be. */
export type NamedEntry = EntrySettings & { readonly id: number; readonly createdAt?: Date };

export function faultOf(checked: CheckedTable | TableFault): TableFault | undefined {
  return 'kind' in checked ? checked : undefined;
}

export function refusal(
  { message, ...fault }: { message: string; kind?: TableFault['kind'] },
  field: string | undefined,
) {
  const code = fault.kind === 'loop' ? 'REDIRECT_LOOP' : 'VALIDATION_ERROR';
  return new AppError(code, { message, ...(field !== undefined && { field }) });
}
