import type { UploadedTable } from '../../data/staged-paths';

/** Error for a file that is not a path table. */
export class UnreadableTable extends Error {}

/**
 * Parses a path table in one of the export formats: CSV, NDJSON, or JSON with a list or with `entries` and `options`.
 * The API validates the entries.
 *
 * @param words texts of the errors
 * @throws {UnreadableTable} with the line number
 */
export function readTable(
  name: string,
  text: string,
  words: {
    readonly notJson: (line: number) => string;
    readonly noEntries: string;
    readonly noSource: string;
    readonly openQuote: string;
  },
): UploadedTable {
  if (/\.csv$/i.test(name)) return { entries: readCsv(text, words) };
  const isList = /\.(?:ndjson|jsonl)$/i.test(name);
  const read = (line: string, number: number): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      throw new UnreadableTable(words.notJson(number));
    }
  };
  if (isList) {
    const lines = text.split('\n').map((line, index) => [line, index + 1] as const);
    return {
      entries: lines
        .filter(([line]) => line.trim() !== '')
        .map(([line, number]) => settingsOf(read(line, number))),
    };
  }
  const value = read(text, 1);
  const { entries, options } = (Array.isArray(value) ? { entries: value } : Object(value)) as {
    readonly entries?: unknown;
    readonly options?: unknown;
  };
  if (!Array.isArray(entries)) throw new UnreadableTable(words.noEntries);
  return { entries: entries.map(settingsOf), ...(options !== undefined && { options }) };
}

/** Members that exports have and the API does not accept in entries. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'hitCount', 'lastHitAt', 'createdAt', 'updatedAt']);

function settingsOf(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !READ_ONLY.has(name)));
}

function readCsv(text: string, words: { readonly noSource: string; readonly openQuote: string }): unknown[] {
  const [names = [], ...rows] = cellsOf(text.replace(/^\ufeff/, ''), words.openQuote);
  if (!names.includes('source')) throw new UnreadableTable(words.noSource);
  return rows
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells) =>
      settingsOf(
        Object.fromEntries(
          names.flatMap((name, place) => {
            const cell = cells[place] ?? '';
            return cell === '' ? [] : [[name, cellValue(name, cell)]];
          }),
        ),
      ),
    );
}

/** Converts a CSV cell into a member's value. A text that cannot be converted stays a text, and the API refuses it. */
function cellValue(name: string, cell: string): unknown {
  if (name === 'statusCode' && cell.trim() !== '' && !Number.isNaN(Number(cell))) return Number(cell);
  if (['enabled', 'queryForwarding'].includes(name) && ['true', 'false'].includes(cell))
    return cell === 'true';
  if (name !== 'query') return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Parses CSV (RFC 4180) into rows of cells. */
function cellsOf(text: string, openQuote: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const found = CELL.exec(text);
    if (found === null) throw new UnreadableTable(openQuote);
    const [, quoted, plain = '', end] = found;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',' && CELL.lastIndex < text.length) continue;
    if (end === ',') row.push('');
    rows.push(row);
    row = [];
  }
  return rows;
}
