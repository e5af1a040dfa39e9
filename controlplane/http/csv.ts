export type CsvCell = string | number | boolean | null;

/**
 * Beginnings that a spreadsheet reads as a formula (https://owasp.org/www-community/attacks/CSV_Injection), including
 * the full-width forms.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const ESCAPED_FORMULA = /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Returns a line of CSV (RFC 4180). Null is an empty cell. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Adds an apostrophe before a text that begins like a formula. Spreadsheets then treat it as text. */
function csvCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reverses `csvLine` for a cell. */
export function textOfCell(cell: string): string {
  return cell.replace(ESCAPED_FORMULA, '');
}
