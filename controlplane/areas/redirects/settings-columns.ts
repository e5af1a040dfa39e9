import type { StoredSettings } from './redirect.js';
import { SETTINGS_NAMES, SETTINGS_TYPES, settingsValues } from './redirect-rows.js';

/** Columns of rows as parameters of a statement. Rows as JSON take PostgreSQL and this process twice the time. */
export interface ParameterColumns {
  /** SQL of a row source with the alias `given`: one row for each of the settings, in their order. */
  readonly source: string;
  /** SQL expressions for `SETTINGS_COLUMNS`, in their order. A value that all rows share is one parameter. */
  readonly settings: string;
  readonly params: readonly unknown[];
}

/**
 * Makes parameters from settings, and from further columns of type text by name.
 *
 * @param isPlanned whether the SQL depends only on the names, so that PostgreSQL can keep its plan. Values are not
 * shared then
 */
export function parameterColumns(
  more: Readonly<Record<string, readonly (string | null)[]>>,
  settings: readonly StoredSettings[],
  isPlanned = false,
): ParameterColumns {
  const params: unknown[] = [];
  const place = (value: unknown) => `$${params.push(value)}::text`;
  const names = Object.keys(more);
  const lists = Object.values(more).map((texts) => `${place(texts)}[]`);
  const rows = settings.map(settingsValues);
  const expressions = SETTINGS_NAMES.map((name, at) => {
    const texts = rows.map((row) => textOf(row[at]));
    const [first = null] = texts;
    const type = SETTINGS_TYPES[at];
    if (!isPlanned && texts.every((text) => text === first)) return `${place(first)}::${type}`;
    lists.push(`${place(texts)}[]`);
    names.push(name);
    return `given.${name}::${type}`;
  });
  return {
    source: `unnest(${lists.join(', ')}) AS given (${names.join(', ')})`,
    settings: expressions.join(', '),
    params,
  };
}

/** Returns the text that PostgreSQL reads as the value. */
function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.map(quoted).join(',')}}` : String(value);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
