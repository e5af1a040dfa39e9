import { TupleParam } from '@clickhouse/client';
import { literal } from './query-settings.js';

/** Values of parameters that the client accepts. */
export type ClientParams = Readonly<Record<string, unknown>>;

const PLACEHOLDER = /\{(\w+):/g;

/**
 * Returns a statement that sets the values of its parameters first, on the same connection. The client of the
 * embedded engine could bind them itself, but it runs only one statement with parameters at a time, over all
 * connections.
 *
 * @throws when a parameter has no value: the connection would use that of an earlier statement
 */
export function withParameters(sql: string, params: ClientParams = {}): string {
  for (const [, name = ''] of sql.matchAll(PLACEHOLDER)) {
    if (params[name] === undefined) throw new Error(`the parameter ${name} has no value`);
  }
  const values = Object.entries(params).map(([name, value]) => `param_${name} = ${setting(value)}`);
  return values.length === 0 ? sql : `SET ${values.join(', ')}; ${sql}`;
}

/** Quotes a value for two readings: as SQL, then a text as TabSeparated and a list as SQL again. */
function setting(value: unknown): string {
  return literal(typeof value === 'string' ? tabSeparated(value) : inSql(value));
}

function inSql(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inSql).join(', ')}]`;
  if (value instanceof TupleParam) return `(${value.values.map(inSql).join(', ')})`;
  return typeof value === 'string' ? literal(value) : String(value);
}

/** https://clickhouse.com/docs/interfaces/formats/TabSeparated */
function tabSeparated(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\0', '\\0');
}
