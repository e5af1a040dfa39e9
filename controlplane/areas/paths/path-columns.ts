import type { EntrySettings } from './path-table.js';

/** SQL of the options of a table as `PathOptions`. */
export const OPTIONS = `json_build_object('ignoreCase', ignore_case, 'ignoreTrailingSlash', ignore_trailing_slash,
  'unmatched', unmatched)`;

/** SQL of the settings of an entry, under the names of the members of `EntrySettings`. */
export const SETTINGS = `source, query, destination, status_code AS "statusCode",
  coalesce(to_jsonb(query_forwarding), '"inherit"') AS "queryForwarding", coalesce(path_ending, 'inherit') AS "pathEnding",
  enabled, note`;

/** Columns of the settings of an entry, in the order of `settingValues`. */
export const SETTING_COLUMNS =
  'source, query, destination, status_code, query_forwarding, path_ending, enabled, note';

/** Returns the values of `SETTING_COLUMNS`. The query is JSON as text. */
export function settingValues(entry: EntrySettings): readonly unknown[] {
  const { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note } = entry;
  return [
    source,
    query === null ? null : JSON.stringify(query),
    destination,
    statusCode,
    queryForwarding === 'inherit' ? null : queryForwarding,
    pathEnding === 'inherit' ? null : pathEnding,
    enabled,
    note,
  ];
}

/** Returns the parameters with the types of the arrays of `settingArrays`, for `unnest`. The first one is `$first`. */
export function settingArrayTypes(first: number): string {
  const types = ['text', 'text', 'text', 'int', 'boolean', 'text', 'boolean', 'text'];
  return types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

/** Returns one array per column of `SETTING_COLUMNS`. */
export function settingArrays(entries: readonly EntrySettings[]): readonly (readonly unknown[])[] {
  const rows = entries.map(settingValues);
  return SETTING_COLUMNS.split(', ').map((_, column) => rows.map((row) => row[column]));
}
