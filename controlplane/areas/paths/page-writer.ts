import { createHash } from 'node:crypto';
import { inTurns } from '../../../shared/async/in-turns.js';
import type { PathEntry, PathOptions } from '../../../shared/paths/path-entry.js';
import { hashKey } from '../../../shared/paths/path-key.js';
import { encodePage, pageOf } from '../../../shared/paths/path-page.js';
import {
  ENTRIES_PER_STEP,
  type PreparedEntry,
  prepareEntry,
  publishedPaths,
} from '../../../shared/paths/publish-table.js';
import { type PublishedPage, type PublishedPaths, pageKey } from '../../../shared/paths/published-paths.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import { lockForPaths } from '../../publishing/taken-down.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { pathRepository } from './path-repository.js';
import type { StoredEntry, StoredTable } from './path-table.js';

/** A change of a table whose entries are already written. */
export interface TableChange {
  readonly tx: Queryable;
  readonly record: RecordChange;
  /** Locked. */
  readonly redirect: Redirect;
  /** Has the new options and number of entries. */
  readonly table: StoredTable;
}

async function saveHead({ tx, record, redirect, table }: TableChange, paths: PublishedPaths): Promise<void> {
  const isEmpty = table.entryCount === 0 && table.options.unmatched === 'destination';
  const published = isEmpty ? null : paths;
  await lockForPaths(tx);
  const hasTakedowns = await pathRepository.saveTable(tx, { ...table, published });
  const isSame = JSON.stringify(sorted(published)) === JSON.stringify(sorted(table.published));
  if ((!isSame || hasTakedowns) && redirect.verifiedAt !== null) record(redirect.fromDomain);
}

async function savePages(
  { tx, record, redirect }: TableChange,
  changed: readonly PublishedPage[],
  removed: readonly string[],
): Promise<void> {
  await pathRepository.savePages(tx, redirect.id, changed);
  await pathRepository.deletePages(tx, removed);
  if (redirect.verifiedAt === null) return;
  for (const key of [...changed.map(({ host }) => host), ...removed]) record(key);
}

/** Writes all pages of a table. Records the changed ones for data planes. */
export async function writeAllPages(change: TableChange, entries: readonly PreparedEntry[]): Promise<void> {
  const { tx, redirect, table } = change;
  const paths = headOf(
    table,
    entries.map(({ shape }) => shape),
  );
  const pages = await inTurns(pagesOf(redirect.id, entries, table.salt, paths.pageBits ?? 0));
  const old = await pathRepository.pageDigests(tx, redirect.id);
  const keys = new Set(pages.map(({ host }) => host));
  await savePages(
    change,
    pages.filter(({ host, page }) => old.get(host) !== createHash('md5').update(page).digest('hex')),
    [...old.keys()].filter((key) => !keys.has(key)),
  );
  await saveHead(change, paths);
}

function preparedEntries({ redirect, table }: TableChange, entries: readonly StoredEntry[]) {
  return entries.map((entry) => prepareStored(entry, table.options, redirect.fromDomain));
}

/** Writes the pages of `hashes` and the head. Writes all pages if the table has grown beyond their number. */
export async function writeSomePages(change: TableChange, hashes: readonly number[]): Promise<void> {
  const { tx, redirect, table } = change;
  const needed = headOf(table, await pathRepository.shapesOf(tx, redirect.id));
  const bits = table.published?.pageBits ?? 0;
  // A table that shrinks keeps its number of pages. Otherwise a table near a limit would be rewritten repeatedly.
  if ((needed.pageBits ?? 0) > bits) {
    const entries = await pathRepository.allEnabled(tx, redirect.id);
    await writeAllPages(change, preparedEntries(change, entries));
    return;
  }
  const changed: PublishedPage[] = [];
  const removed: string[] = [];
  for (const page of new Set(hashes.map((hash) => pageOf(hash, bits)))) {
    const width = 2 ** (32 - bits);
    const [first, last] = [page * width, (page + 1) * width - 1];
    const stored = await pathRepository.enabledBetween(tx, redirect.id, first, last);
    const entries = preparedEntries(change, stored);
    const key = pageKey(redirect.id, page);
    if (entries.length === 0) removed.push(key);
    else changed.push({ host: key, page: encodePage(publishedOf(entries), table.salt) });
  }
  await savePages(change, changed, removed);
  await saveHead(change, { ...needed, ...(bits > 0 && { pageBits: bits }) });
}

function headOf({ options, salt, entryCount }: StoredTable, shapes: readonly string[]): PublishedPaths {
  return publishedPaths(options, salt, shapes, entryCount);
}

function* pagesOf(
  redirectId: string,
  entries: readonly PreparedEntry[],
  salt: number,
  bits: number,
): Generator<undefined, PublishedPage[]> {
  const byPage = new Map<number, PreparedEntry[]>();
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const page = pageOf(hashKey(entry.published.key, salt), bits);
    const others = byPage.get(page);
    if (others === undefined) byPage.set(page, [entry]);
    else others.push(entry);
  }
  const pages: PublishedPage[] = [];
  for (const [page, some] of byPage) {
    yield;
    pages.push({ host: pageKey(redirectId, page), page: encodePage(publishedOf(some), salt) });
  }
  return pages;
}

function publishedOf(entries: readonly PreparedEntry[]) {
  return entries.map(({ published }) => published);
}

/** Prepares an entry of the table. @throws when it is no longer valid */
export function prepareStored(entry: PathEntry, options: PathOptions, host: string): PreparedEntry {
  const one = prepareEntry(entry, options, { host });
  if ('field' in one) throw new Error(`the stored entry ${entry.id} is refused: ${one.message}`);
  return one;
}

/** Sorts the members, because the database changes the order of JSON members. */
function sorted(paths: PublishedPaths | null): unknown {
  return paths && Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1));
}
