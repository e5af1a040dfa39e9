import { memoryPages } from './memory-pages.js';
import { DEFAULT_PATH_OPTIONS, type PathEntry, type PathOptions } from './path-entry.js';
import { type PreparedEntry, prepareEntry, publishTable } from './publish-table.js';

/** The table of entries that are all valid and distinct, with its pages in memory. */
export function publishedTable(
  entries: readonly PathEntry[],
  options: PathOptions = DEFAULT_PATH_OPTIONS,
  host = 'old.example',
  salt = 12_345,
) {
  const { paths, pages } = publishTable(
    entries.map((entry) => preparedEntry(entry, options, host)),
    options,
    salt,
  );
  return { paths, texts: pages, pages: memoryPages(pages) };
}

/** @throws when the entry is refused */
export function preparedEntry(
  entry: PathEntry,
  options: PathOptions = DEFAULT_PATH_OPTIONS,
  host = 'old.example',
): PreparedEntry {
  const prepared = prepareEntry(entry, options, { host });
  if ('field' in prepared) throw new Error(`${entry.source}: ${prepared.message}`);
  return prepared;
}
