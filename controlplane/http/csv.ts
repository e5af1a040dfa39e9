export type CsvCell = string | number | boolean | null;

/**
 * Beginnings that a spreadsheet takes for a formula (https://owasp.org/www-community/attacks/CSV_Injection), the
 * full-width forms among them.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const ESCAPED_FORMULA = /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Returns a line of CSV (RFC 4180). Null is an empty cell. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Puts an apostrophe in front of a text that begins like a formula, which makes it a text for spreadsheets. */
function csvCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a cell as it was before `csvLine` wrote it. */
export function textOfCell(cell: string): string {
  return cell.replace(ESCAPED_FORMULA, '');
}
