import { once } from 'node:events';
import { CsvError, parse } from 'csv-parse';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import { AppError } from '../../errors/app-error.js';
import { readJson } from '../../http/json-bodies.js';
import { FORMATS } from './formats/formats.js';
import type { ImportFormatName, ImportKind } from './import.js';
import type { FileRow } from './import-part.js';
import { entriesOf, operationOf, type Taken } from './imported-redirects.js';
import { itemsOf } from './json-array.js';

/** Maximum length of a line, or of a row of CSV, in characters. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Reads the cells of a table of the API. */
export interface TableReader {
  /** @throws {AppError} INVALID_REQUEST for an unknown column */
  requireColumns(names: readonly string[]): void;
  /** @throws {AppError} for a cell that cannot be stored */
  read(names: readonly string[], cells: readonly string[]): unknown;
}

export interface FileOptions {
  readonly kind: ImportKind;
  readonly format: ImportFormatName;
  /** Domain of the redirect whose table of paths gets the rows. */
  readonly host: string | undefined;
  /** Options of that table. */
  readonly pathOptions: Pick<PathOptions, 'ignoreCase' | 'ignoreTrailingSlash'>;
  readonly table: TableReader;
}

/**
 * Reads the rows of a file. A row that cannot be read becomes a failed row.
 *
 * @throws {AppError} INVALID_REQUEST for a file that is not in its format
 */
export function readRows(text: AsyncIterable<string>, options: FileOptions): AsyncIterable<FileRow> {
  const { format, table } = options;
  if (format === 'csv') return readCsv(text, table);
  if (format === 'ndjson') return readNdjson(text);
  if (format === 'json') return readArray(text);
  return readFormat(text, options);
}

async function* readFormat(
  text: AsyncIterable<string>,
  { kind, format, host = '', pathOptions }: FileOptions,
): AsyncGenerator<FileRow> {
  const reader = FORMATS.get(format);
  if (reader === undefined) throw new Error(`there is no reader of the format ${format}`);
  let row = 0;
  /** First row that ignores case although the table does not. */
  let refusedRow: number | undefined;
  for await (const one of reader.read(text)) {
    if (one.status !== 'read') {
      row += 1;
      yield { ...one, row };
      continue;
    }
    const { source, redirect, remark } = one;
    const taken = allTakenOf(() =>
      kind === 'paths' ? entriesOf(redirect, host, pathOptions) : [operationOf(redirect)],
    );
    const notes = [remark, refusedRow === undefined ? undefined : unserved(refusedRow)];
    for (const each of taken) {
      row += 1;
      if (each.status === 'failed' && redirect.ignoresCase) refusedRow ??= row;
      yield { row, source, ...(each.status === 'read' ? withRemarks(each, notes) : each) };
    }
  }
}

function withRemarks(
  { value, remark }: Taken & { readonly status: 'read' },
  others: readonly (string | undefined)[],
): Taken & { readonly status: 'read' } {
  const remarks = [...others, remark].filter((text) => text !== undefined);
  return { status: 'read', value, ...(remarks.length > 0 && { remark: remarks.join(' ') }) };
}

function unserved(row: number): string {
  return `Row ${row} is not in the table. Requests for it reach this row if they match.`;
}

function allTakenOf(read: () => readonly Taken[]): readonly Taken[] {
  try {
    return read();
  } catch (error) {
    return [failed(error)];
  }
}

function takenOf(read: () => Taken): Taken {
  try {
    return read();
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): { status: 'failed'; message: string; field?: string } {
  if (!(error instanceof AppError)) throw error;
  const { message, field } = error;
  return { status: 'failed', message, ...(field !== undefined && { field }) };
}

async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let row = 0;
  for await (const line of linesOf(text)) {
    row += 1;
    const source = line.trim();
    if (source === '') yield { row, source, status: 'skipped', message: 'The line is empty.' };
    else yield { row, source, ...takenOf(() => ({ status: 'read', value: readObject(source) })) };
  }
}

async function* readArray(text: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let row = 0;
  for await (const source of itemsOf(text, MAX_LINE_LENGTH)) {
    row += 1;
    yield { row, source, ...takenOf(() => ({ status: 'read', value: readObject(source) })) };
  }
}

function readObject(line: string): unknown {
  const value = readJson(Buffer.from(line));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AppError('VALIDATION_ERROR', { message: 'A row must be a JSON object.' });
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH || lines.some(({ length }) => length > MAX_LINE_LENGTH))
      throw tooLong();
    yield* lines;
  }
  if (rest.trim() !== '') yield rest;
}

function tooLong(): AppError {
  return new AppError('INVALID_REQUEST', {
    message: `A line of the file is longer than ${MAX_LINE_LENGTH} characters.`,
  });
}

interface RawRecord {
  readonly raw: string;
  readonly record: readonly string[];
}

async function* readCsv(text: AsyncIterable<string>, table: TableReader): AsyncGenerator<FileRow> {
  let names: readonly string[] | undefined;
  let row = 0;
  for await (const { raw, record } of recordsOf(text)) {
    if (names === undefined) {
      names = record.map((name) => name.trim());
      table.requireColumns(names);
      continue;
    }
    const columns = names;
    row += 1;
    const source = raw.replace(/\r?\n$/, '');
    yield { row, source, ...takenOf(() => ({ status: 'read', value: readCells(columns, record, table) })) };
  }
  if (names === undefined) table.requireColumns([]);
}

function readCells(names: readonly string[], cells: readonly string[], table: TableReader): unknown {
  if (cells.length === names.length) return table.read(names, cells);
  throw new AppError('VALIDATION_ERROR', {
    message: `The row has ${cells.length} cells, and the first row of the file has ${names.length}. Put texts with commas into double quotes.`,
  });
}

/** Reads records in small groups. Only the part of the file that is being read is in memory. */
async function* recordsOf(text: AsyncIterable<string>): AsyncGenerator<RawRecord> {
  const parser = parse({
    bom: true,
    raw: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_LINE_LENGTH,
  });
  const feeding = feed(text, parser);
  feeding.catch((error: Error) => parser.destroy(error));
  try {
    yield* parser as AsyncIterable<RawRecord>;
    await feeding;
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new AppError('INVALID_REQUEST', { message: describeFault(cause), cause });
  }
}

async function feed(text: AsyncIterable<string>, parser: ReturnType<typeof parse>): Promise<void> {
  for await (const piece of text) {
    if (parser.destroyed) return;
    if (!parser.write(piece)) await untilWritable(parser);
  }
  parser.end();
}

async function untilWritable(parser: ReturnType<typeof parse>): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  try {
    await Promise.race([once(parser, 'drain', { signal }), once(parser, 'close', { signal })]);
  } finally {
    // Removes the listeners of the event that did not occur.
    ending.abort();
  }
}

function describeFault({ code, message }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
    return `The file is not valid CSV: a row does not end, probably because a double quote is never closed. ${message}.`;
  }
  return `The file is not valid CSV: ${message}.`;
}
