import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import { AppError } from '../../../errors/app-error.js';
import { textOfCell } from '../../../http/csv.js';
import { readJson, requireStorable } from '../../../http/json-bodies.js';
import { CreateRedirectSchema, READ_ONLY_MEMBERS } from '../redirect-schema.js';
import { MAX_OPERATIONS } from './bulk-schema.js';
import { tagsOfCell } from './tag-cell.js';

/** Media types of bulk requests besides JSON. */
export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

type Row = Readonly<Record<string, unknown>>;

const SWITCHES = new Set(['pathForwarding', 'queryForwarding', 'enabled']);
const NUMBERS = new Set(['statusCode', 'samplingRate', 'cacheSeconds']);
const OBJECTS = new Set(['afterEnd', 'responseHeaders', 'appendQuery', 'hsts', 'notFound']);
const IGNORED: ReadonlySet<string> = new Set(READ_ONLY_MEMBERS);
const COLUMNS: ReadonlySet<string> = new Set(['op', 'id', ...Object.keys(CreateRedirectSchema.properties)]);

/**
 * Reads one operation per line.
 *
 * @throws {AppError} INVALID_REQUEST naming the first line that is not JSON
 */
export function readNdjson(body: Buffer): { readonly operations: readonly unknown[] } {
  requireUtf8(body);
  const operations: unknown[] = [];
  let number = 1;
  for (let start = 0; start < body.length && operations.length <= MAX_OPERATIONS; number += 1) {
    const found = body.indexOf('\n', start);
    const end = found === -1 ? body.length : found;
    const line = body.toString('utf8', start, end).trim();
    if (line !== '') operations.push(readLine(line, number));
    start = end + 1;
  }
  return { operations };
}

function readLine(line: string, number: number): unknown {
  try {
    return readJson(Buffer.from(line));
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError('INVALID_REQUEST', { message: `Line ${number}: ${cause.message}`, cause });
  }
}

/**
 * Reads a table. Its first row contains the names of members. An empty cell means an absent member. Read-only members,
 * which exports contain, are ignored.
 *
 * @throws {AppError} INVALID_REQUEST for a file that is not CSV, or whose first row has unknown names
 */
export function readCsv(body: Buffer): { readonly operations: readonly Row[] } {
  requireUtf8(body);
  const [header, ...rows] = recordsOf(body);
  const names = (header ?? []).map((name) => name.trim());
  requireKnownColumns(names);
  return { operations: rows.map((cells) => operationOf(names, cells)) };
}

/** Reads the cells of a table whose first row has the names of members. */
export const operationTable = { requireColumns: requireKnownColumns, read: operationOf };

function recordsOf(table: Buffer): string[][] {
  try {
    // Read one more than is accepted; a longer file is then refused like a longer list.
    return parse(table, { bom: true, skip_empty_lines: true, trim: true, to: MAX_OPERATIONS + 2 });
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new AppError('INVALID_REQUEST', {
      message: `The request body is not valid CSV: ${cause.message}.`,
      cause,
    });
  }
}

/** @throws {AppError} INVALID_REQUEST for an unknown column */
function requireKnownColumns(names: readonly string[]): void {
  const unknown = names.find((name) => !COLUMNS.has(name) && !IGNORED.has(name));
  if (unknown === undefined && names.length > 0) return;
  throw new AppError('INVALID_REQUEST', {
    message: `The first row of the CSV file must name members${unknown === undefined ? '' : ` (got ${JSON.stringify(unknown)})`}: ${[...COLUMNS].join(', ')}.`,
  });
}

function operationOf(names: readonly string[], cells: readonly string[]): Row {
  const members = names.flatMap((name, at) => {
    const cell = requireStorable(textOfCell(cells[at] ?? ''), [name]);
    return cell === '' || IGNORED.has(name) ? [] : [[name, readCell(name, cell)] as const];
  });
  return Object.fromEntries(members);
}

/**
 * Converts a cell to the type of its member. Returns an unreadable text unchanged; the check of the member refuses it.
 */
function readCell(name: string, cell: string): unknown {
  if (name === 'tags') return tagsOfCell(cell);
  if (SWITCHES.has(name)) return cell === 'true' || (cell === 'false' ? false : cell);
  if (NUMBERS.has(name)) return Number.isNaN(Number(cell)) ? cell : Number(cell);
  return OBJECTS.has(name) ? (jsonIn(cell) ?? cell) : cell;
}

function jsonIn(cell: string): unknown {
  try {
    return readJson(Buffer.from(cell));
  } catch {
    return undefined;
  }
}

function requireUtf8(body: Buffer): void {
  if (!isUtf8(body)) {
    throw new AppError('INVALID_REQUEST', { message: 'The request body is not valid UTF-8.' });
  }
}
