import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';

/**
 * Maximum length of the texts in one parameter, in UTF-16 units. With three bytes each they stay below the 128 KiB of
 * a parameter (`http_max_field_value_size`).
 */
const MAX_PARAMETER_LENGTH = 30_000;

/** A condition and its parameters. */
export interface AmongTexts {
  readonly sql: string;
  readonly params: QueryParams;
}

/**
 * Returns the condition that some columns equal the texts of one of the rows. The engine looks these up in a primary
 * key.
 *
 * @param columns at least one, and as many as each row has texts
 * @param name prefix of the parameters
 */
export function amongTexts(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  name: string,
): AmongTexts {
  const [column = '', ...others] = columns;
  const isSingle = others.length === 0;
  const type = isSingle ? 'Array(String)' : `Array(Tuple(${columns.map(() => 'String').join(', ')}))`;
  const subject = isSingle ? column : `(${columns.join(', ')})`;
  const parts = inParts(rows).map((part, index) => {
    const values = isSingle ? part.map(([text = '']) => text) : part;
    return { name: `${name}${index}`, values };
  });
  return {
    sql: `(${parts.map((part) => `${subject} IN {${part.name}:${type}}`).join(' OR ')})`,
    params: Object.fromEntries(parts.map((part) => [part.name, part.values])),
  };
}

/** Splits rows into as many parts as parameters are needed, at least one. */
function inParts(rows: readonly (readonly string[])[]): (readonly string[])[][] {
  let part: (readonly string[])[] = [];
  const parts = [part];
  let left = MAX_PARAMETER_LENGTH;
  for (const row of rows) {
    const length = row.reduce((sum, text) => sum + text.length, 0);
    if (length > left && part.length > 0) {
      part = [];
      parts.push(part);
      left = MAX_PARAMETER_LENGTH;
    }
    part.push(row);
    left -= length;
  }
  return parts;
}
