import { inTurns } from '../../../shared/async/in-turns.js';
import { memoryPages } from '../../../shared/paths/memory-pages.js';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import { matchPath, type PathPages } from '../../../shared/paths/path-matcher.js';
import { ENTRIES_PER_STEP, publishTableInSteps } from '../../../shared/paths/publish-table.js';
import { type PublishedPaths, pageKey } from '../../../shared/paths/published-paths.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { pathRepository } from './path-repository.js';
import type { NewTable } from './path-schema.js';
import { tableOf } from './route-parts.js';
import { checkEntries } from './table-replacement.js';
import type { CheckedWholeTable } from './whole-tables.js';

/** A table of paths that answers lookups. */
export interface ReadTable {
  /** Version of the table; 0 without one. */
  readonly version: number;
  /** Undefined without entries and without an option that has an effect. */
  readonly paths: PublishedPaths | undefined;
  readonly pages: PathPages | undefined;
}

/** Parts of a request that tables use. */
export interface PathLookup {
  readonly path: string;
  readonly query: string;
}

/** Pages of a table that are read when a lookup needs them. */
class PagesOnDemand implements PathPages {
  bytes: Buffer = Buffer.alloc(0);
  readonly start = 0;
  /** Pages that lookups need and that are not read yet. */
  readonly missing = new Set<number>();
  private readonly read = new Map<number, Buffer | undefined>();

  open(page: number): boolean {
    if (!this.read.has(page)) this.missing.add(page);
    const found = this.read.get(page);
    if (found !== undefined) this.bytes = found;
    return found !== undefined;
  }

  /** Adds the missing pages. @param texts by page; absent pages do not exist */
  add(texts: ReadonlyMap<number, string>): void {
    for (const page of this.missing) {
      const text = texts.get(page);
      this.read.set(page, text === undefined ? undefined : Buffer.from(text, 'latin1'));
    }
    this.missing.clear();
  }
}

/** Reads as much of the live table as some lookups need. A large table has thousands of pages, and a lookup needs few. */
export async function readTableFor(
  source: Queryable,
  redirectId: string,
  lookups: readonly PathLookup[],
): Promise<ReadTable> {
  const table = await pathRepository.findTable(source, redirectId);
  const version = table?.version ?? 0;
  if (table?.published == null) return { version, paths: undefined, pages: undefined };
  const { published } = table;
  const pages = new PagesOnDemand();
  await readWhatIsNeeded(source, redirectId, pages, () => lookUpAll(published, pages, lookups));
  return { version, paths: published, pages };
}

/** Reads the pages of a table that some steps need, and returns the result of the steps with these pages. */
export function withNeededPages<Result>(
  source: Queryable,
  redirectId: string,
  steps: (pages: PathPages) => Iterator<unknown, Result>,
): Promise<Result> {
  const pages = new PagesOnDemand();
  return readWhatIsNeeded(source, redirectId, pages, () => steps(pages));
}

/** Repeats steps until no page is missing. A read page may require others. */
async function readWhatIsNeeded<Result>(
  source: Queryable,
  redirectId: string,
  pages: PagesOnDemand,
  steps: () => Iterator<unknown, Result>,
): Promise<Result> {
  for (;;) {
    const result = await inTurns(steps());
    if (pages.missing.size === 0) return result;
    const keys = new Map([...pages.missing].map((page) => [pageKey(redirectId, page), page]));
    const texts = await pathRepository.pagesByKey(source, [...keys.keys()]);
    pages.add(new Map([...texts].map(([key, text]) => [keys.get(key) ?? 0, text])));
  }
}

function* lookUpAll(table: PublishedPaths, pages: PathPages, lookups: readonly PathLookup[]) {
  for (const [index, { path, query }] of lookups.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    matchPath(table, pages, path, () => query);
  }
}

/** Reads the table of a redirect in the form of data planes. */
export async function readLiveTable(source: Queryable, redirectId: string): Promise<ReadTable> {
  const table = await pathRepository.findTable(source, redirectId);
  if (table?.published == null) return { version: table?.version ?? 0, paths: undefined, pages: undefined };
  const { published, version } = table;
  return { version, paths: published, pages: await pathRepository.pagesOf(source, redirectId, published) };
}

/**
 * Builds the table that would result from a replacement by `input`. The ids of entries are their indexes, from 1.
 * Stores nothing.
 *
 * @param redirect with the settings that it would then have
 * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP, with the entry's index in the field
 */
export async function buildTable(source: Queryable, redirect: Redirect, input: NewTable): Promise<ReadTable> {
  const table = await pathRepository.findTable(source, redirect.id);
  const { options, entries } = tableOf(input);
  const merged = { ...DEFAULT_PATH_OPTIONS, ...table?.options, ...options };
  const numbered = entries.map((entry, index) => ({ ...entry, id: index + 1 }));
  const checked = await checkEntries({ tx: source, redirect }, merged, numbered);
  return tableOfChecked({ options: merged, prepared: checked.entries });
}

/** Creates a table of checked entries. They keep their ids. */
export async function tableOfChecked({
  options,
  prepared,
}: Pick<CheckedWholeTable, 'options' | 'prepared'>): Promise<ReadTable> {
  const { paths, pages } = await inTurns(publishTableInSteps(prepared, options, 0));
  const decides = prepared.length > 0 || options.unmatched !== 'destination';
  return { version: 0, paths: decides ? paths : undefined, pages: memoryPages(pages) };
}

/** Returns the source of an entry; null if the entry no longer exists. */
export async function readEntrySource(
  source: Queryable,
  redirectId: string,
  entryId: number,
): Promise<string | null> {
  const sources = await pathRepository.sourcesOf(source, redirectId, [entryId]);
  return sources.get(entryId) ?? null;
}
