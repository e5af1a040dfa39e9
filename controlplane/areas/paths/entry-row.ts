import type { PathEnding, PathStatusCode, QueryConditions } from '../../../shared/paths/path-entry.js';
import type { EntrySettings } from './path-table.js';

/** Columns of the settings of an entry, in the order of `settingValues`. */
export const SETTING_COLUMNS =
  'source, query, destination, status_code, query_forwarding, path_ending, enabled, note';

export interface SettingsRow {
  readonly source: string;
  readonly query: QueryConditions | null;
  readonly destination: string | null;
  readonly status_code: PathStatusCode;
  readonly query_forwarding: boolean | null;
  readonly path_ending: PathEnding | null;
  readonly enabled: boolean;
  readonly note: string;
}

export function settingsOfRow(row: SettingsRow): EntrySettings {
  return {
    source: row.source,
    query: row.query,
    destination: row.destination,
    statusCode: row.status_code,
    queryForwarding: row.query_forwarding ?? 'inherit',
    pathEnding: row.path_ending ?? 'inherit',
    enabled: row.enabled,
    note: row.note,
  };
}

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

/** Types of the arrays of `settingArrays`, for `unnest` of a statement whose first one is the parameter `$first`. */
export function settingArrayTypes(first: number): string {
  const types = ['text', 'text', 'text', 'int', 'boolean', 'text', 'boolean', 'text'];
  return types.map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

/** Returns one array per column of `SETTING_COLUMNS`. */
export function settingArrays(entries: readonly EntrySettings[]): readonly (readonly unknown[])[] {
  const rows = entries.map(settingValues);
  return SETTING_COLUMNS.split(', ').map((_, column) => rows.map((row) => row[column]));
}
