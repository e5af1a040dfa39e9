import { pathEntryOf } from '../../shared/paths/path-cases.fixture.js';
import { DEFAULT_PATH_OPTIONS, type PathEntry, type PathOptions } from '../../shared/paths/path-entry.js';
import { pageKey } from '../../shared/paths/published-paths.js';
import { publishedTable } from '../../shared/paths/published-table.fixture.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import { redirectOf } from './redirect-definition.fixture.js';

type Row = Pick<PathEntry, 'source' | 'destination'> & Partial<PathEntry>;

/** The changes that publish a redirect with a table, entries with the ids 1, 2, 3 …. */
export function tableOf(
  host: string,
  rows: readonly Row[],
  given: Partial<Omit<RedirectDefinition, 'host'>> = {},
  options: Partial<PathOptions> = {},
): RulesetChange[] {
  const { paths, texts } = publishedTable(
    rows.map(pathEntryOf),
    { ...DEFAULT_PATH_OPTIONS, ...options },
    host,
  );
  const redirect = redirectOf(host, { ...given, paths });
  const pages = texts.map((page, number) => ({ host: pageKey(redirect.id, number), redirect: null, page }));
  return [{ host, redirect }, ...pages.filter(({ page }) => page !== '')];
}
