import { inTurns } from '../../../shared/async/in-turns.js';
import { memoryPages } from '../../../shared/paths/memory-pages.js';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import { publishTableInSteps } from '../../../shared/paths/publish-table.js';
import { type PublishedPaths, pageKey } from '../../../shared/paths/published-paths.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { pathRepository } from './path-repository.js';
import type { NewTable } from './path-schema.js';
import { tableOf } from './route-parts.js';
import { checkEntries } from './table-replacement.js';

/** A table of paths that can be asked. */
export interface ReadTable {
  /** Version of the table; 0 without one. */
  readonly version: number;
  /** Undefined without entries and without an option that decides. */
  readonly paths: PublishedPaths | undefined;
  readonly pages: PathPages | undefined;
}

/** Reads the table of a redirect as data planes have it. */
export async function readLiveTable(source: Queryable, redirectId: string): Promise<ReadTable> {
  const table = await pathRepository.findTable(source, redirectId);
  if (table?.published == null) return { version: table?.version ?? 0, paths: undefined, pages: undefined };
  const { published, version } = table;
  const texts = await pathRepository.pagesOf(source, redirectId);
  const pages = Array.from(
    { length: 2 ** (published.pageBits ?? 0) },
    (_, page) => texts.get(pageKey(redirectId, page)) ?? '',
  );
  return { version, paths: published, pages: memoryPages(pages) };
}

/**
 * Builds the table that a replacement by `input` would make. Entries have their index from 1 on as ids. Stores nothing.
 *
 * @param redirect with the settings that it would have then
 * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP, with the entry's index in the field
 */
export async function buildTable(source: Queryable, redirect: Redirect, input: NewTable): Promise<ReadTable> {
  const table = await pathRepository.findTable(source, redirect.id);
  const { options, entries } = tableOf(input);
  const merged = { ...DEFAULT_PATH_OPTIONS, ...table?.options, ...options };
  const numbered = entries.map((entry, index) => ({ ...entry, id: index + 1 }));
  const checked = await checkEntries({ tx: source, redirect }, pathRepository, merged, numbered);
  const { paths, pages } = await inTurns(publishTableInSteps(checked.entries, merged, 0));
  const decides = checked.entries.length > 0 || merged.unmatched !== 'destination';
  return {
    version: 0,
    paths: decides ? paths : undefined,
    pages: memoryPages(pages),
  };
}

/** Returns the source of an entry; null when it is gone. */
export async function readEntrySource(
  source: Queryable,
  redirectId: string,
  entryId: number,
): Promise<string | null> {
  const sources = await pathRepository.sourcesOf(source, redirectId, [entryId]);
  return sources.get(entryId) ?? null;
}
