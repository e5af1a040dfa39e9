import { isDeepStrictEqual } from 'node:util';
import { inTurns } from '../../../shared/async/in-turns.js';
import { findLoopsInSteps } from '../../../shared/paths/check-table.js';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import { type PreparedEntry, prepareEntry } from '../../../shared/paths/publish-table.js';
import { AppError, type ErrorBody, errorBody } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { requireEntryRoom } from './entry-limit.js';
import { createPageWriter } from './page-writer.js';
import { readEntry } from './path-file.js';
import type { PathRepository } from './path-repository.js';
import type { EntrySettings, StoredEntry } from './path-table.js';
import { createTableLock } from './table-lock.js';
import { checkedRedirect, createTableReplacement, type NamedEntry } from './table-replacement.js';

/** What became of an imported entry. */
export interface MergedEntry {
  readonly status: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly error?: ErrorBody['error'];
}

/**
 * Merges entries into a table in one transaction. An entry for the requests of an earlier one replaces it, and keeps its id
 * and hits; all others stay. An entry that is refused does not keep the others from being merged.
 *
 * @param values entries as requests have them
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export type MergePaths = (
  tx: Queryable,
  record: RecordChange,
  user: CurrentUser,
  merge: { readonly redirectId: string; readonly values: readonly unknown[] },
) => Promise<readonly MergedEntry[]>;

export interface PathImportDeps {
  readonly repository: PathRepository;
  readonly redirects: Pick<RedirectService, 'requireOwnedForUpdate'>;
}

/** An entry that is to be in the table. */
interface Place {
  readonly entry: NamedEntry;
  readonly prepared: PreparedEntry;
  /** Index of the value that it comes from; undefined for an entry that was there. */
  readonly index: number | undefined;
  readonly before: StoredEntry | undefined;
}

export function createMergePaths({ repository, redirects }: PathImportDeps): MergePaths {
  const replacement = createTableReplacement(repository, createPageWriter(repository));
  const { lockTable } = createTableLock(repository, redirects);

  return async (tx, record, user, { redirectId, values }) => {
    const { redirect, table } = await lockTable(tx, user.id, redirectId);
    const stored = await repository.allEntries(tx, redirectId);
    const ids = await repository.newIds(tx, values.length);
    const merge = createMerge(redirect, table.options, stored);
    const results = values.map((value, index) => merge.add(value, index, ids[index] ?? 0, user));
    for (const index of await merge.dropLoops()) results[index] = failed(loop(values[index]));
    if (results.some(({ status }) => status === 'created' || status === 'updated')) {
      await replacement.write({ tx, record, redirect, table }, table.options, merge.entries());
    }
    return results;
  };
}

function createMerge(redirect: Redirect, options: PathOptions, stored: readonly StoredEntry[]) {
  const owner = { host: redirect.fromDomain };
  /** Entries by what they match. Disabled ones may match what another one does. */
  const places = new Map<string, Place>();
  const others: StoredEntry[] = [];
  for (const entry of [...stored].sort((a, b) => Number(b.enabled) - Number(a.enabled))) {
    const prepared = prepareEntry(entry, options, owner);
    const name = 'field' in prepared ? undefined : nameOf(prepared);
    if ('field' in prepared || name === undefined || places.has(name)) others.push(entry);
    else places.set(name, { entry, prepared, index: undefined, before: entry });
  }

  function place(settings: EntrySettings, index: number, newId: number, { plan }: CurrentUser): MergedEntry {
    const prepared = prepareEntry({ ...settings, id: newId }, options, owner);
    if ('field' in prepared) throw new AppError('VALIDATION_ERROR', prepared);
    const name = nameOf(prepared);
    const { index: earlier, before } = places.get(name) ?? {};
    if (earlier !== undefined) throw duplicate(settings.source);
    if (before === undefined) requireEntryRoom(plan, places.size + others.length, 1);
    else if (isSame(before, settings)) return { status: 'unchanged' };
    const id = before?.id ?? newId;
    const entry = { ...settings, id, ...(before && { createdAt: before.createdAt }) };
    const published = { ...prepared.published, id };
    places.set(name, { entry, prepared: { ...prepared, published }, index, before });
    return { status: before === undefined ? 'created' : 'updated' };
  }

  return {
    add(value: unknown, index: number, newId: number, user: CurrentUser): MergedEntry {
      try {
        return place(readEntry(value), index, newId, user);
      } catch (error) {
        if (error instanceof AppError) return failed(error);
        throw error;
      }
    },
    /** Takes back the imported entries whose destinations lead into a loop. Returns the indexes of their values. */
    async dropLoops(): Promise<number[]> {
      const enabled = [...places].filter(([, { entry }]) => entry.enabled);
      const entries = enabled.map(([, { entry }]) => entry);
      const prepared = enabled.map(([, one]) => one.prepared);
      const loops = await inTurns(findLoopsInSteps(entries, prepared, options, checkedRedirect(redirect)));
      return loops.flatMap((at) => {
        const [name, { index, before }] = enabled[at] ?? ['', { index: undefined, before: undefined }];
        if (index === undefined) return [];
        places.delete(name);
        if (before !== undefined) others.push(before);
        return [index];
      });
    },
    entries: (): NamedEntry[] =>
      [...others, ...[...places.values()].map(({ entry }) => entry)].sort((a, b) => a.id - b.id),
  };
}

function nameOf({ published }: PreparedEntry): string {
  return `${published.key} ${published.conditions}`;
}

function isSame(before: StoredEntry, settings: EntrySettings): boolean {
  return Object.entries(settings).every(([name, value]) =>
    isDeepStrictEqual(value, before[name as keyof EntrySettings]),
  );
}

function duplicate(source: string): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'source',
    message: `An earlier row of the file matches the same requests as ${source}. Remove one of them, or give it other query conditions.`,
  });
}

function loop(value: unknown): AppError {
  const { source } = Object(value) as { source?: unknown };
  return new AppError('REDIRECT_LOOP', {
    field: 'destination',
    message: `The destination of ${String(source)} leads back to it through this table. Choose one outside this loop.`,
  });
}

function failed(error: AppError): MergedEntry {
  return { status: 'failed', error: errorBody(error).error };
}
