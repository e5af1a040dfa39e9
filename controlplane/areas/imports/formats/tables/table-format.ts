import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { ImportedRow, ImportFormat } from '../import-format.js';
import { failed, type Outcome, skipped } from '../outcome.js';
import { RowWriter } from '../row-writer.js';

/** Maximum characters of a record. */
const MAX_RECORD_LENGTH = 65_536;
/** Maximum columns that are read. */
const MAX_COLUMNS = 100;

/** Cells of a record by the name of their column, in lower-case letters and digits. */
export type Cells = Readonly<Record<string, string>>;

export interface TableOptions {
  /** Names of columns, in their order, of a file without a header. Undefined where a header is required. */
  readonly positions?: readonly string[];
  /** Returns whether a first record is a header. */
  readonly isHeader: (names: readonly string[]) => boolean;
  /** Names that a header must have, for messages. */
  readonly expected: string;
  readonly createReader: () => (cells: Cells, row: number) => readonly Outcome[];
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly raw: string;
}

/** Makes a format of tables: CSV with commas, semicolons or tabs. The first record decides which. */
export function tableFormat(name: string, options: TableOptions): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const table = new TableReader(options);
      const last = { row: 0 };
      try {
        for await (const { record, raw } of recordsOf(text)) {
          last.row += 1;
          const outcomes = table.read(
            record.map((cell) => cell.trim()),
            last.row,
          );
          yield* rows.write(raw.replace(/\r?\n$/, ''), outcomes);
        }
      } catch (fault) {
        if (!(fault instanceof CsvError)) throw fault;
        const message = `Record ${last.row + 1} is not valid CSV, and nothing after it was read. Check its quotes. A record can have at most ${MAX_RECORD_LENGTH} characters.`;
        yield* rows.write('', [failed(message)]);
      }
    },
  };
}

async function* recordsOf(text: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const { delimiter, whole } = await withDelimiter(text);
  const parser = parse({
    bom: true,
    delimiter,
    raw: true,
    relax_column_count: true,
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: MAX_RECORD_LENGTH,
  });
  const source = Readable.from(whole, { objectMode: false });
  source.on('error', (fault) => parser.destroy(fault));
  source.pipe(parser);
  try {
    for await (const record of parser) yield record as CsvRecord;
  } finally {
    source.destroy();
  }
}

/** Reads the first line to choose the delimiter, and passes it on with the rest. */
async function withDelimiter(
  text: AsyncIterable<string>,
): Promise<{ delimiter: string; whole: AsyncIterable<string> }> {
  const pieces = text[Symbol.asyncIterator]();
  let head = '';
  let next = await pieces.next();
  for (; next.done !== true; next = await pieces.next()) {
    head += next.value;
    if (head.includes('\n') || head.length > MAX_RECORD_LENGTH) break;
  }
  const line = head.slice(0, MAX_RECORD_LENGTH).split('\n', 1)[0] ?? '';
  const counts = [',', ';', '\t'].map((delimiter) => [line.split(delimiter).length, delimiter] as const);
  const [, delimiter] = counts.reduce((best, one) => (one[0] > best[0] ? one : best));
  async function* whole(): AsyncGenerator<string> {
    try {
      if (head !== '') yield head;
      for (next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  return { delimiter, whole: whole() };
}

class TableReader {
  readonly #read: ReturnType<TableOptions['createReader']>;
  #names: readonly string[] | undefined;

  constructor(private readonly options: TableOptions) {
    this.#read = options.createReader();
  }

  read(record: readonly string[], row: number): readonly Outcome[] {
    if (record.every((cell) => cell === '')) return [skipped('Empty line.')];
    if (this.#names === undefined) {
      const names = record.slice(0, MAX_COLUMNS).map(columnName);
      if (this.options.isHeader(names)) {
        this.#names = names;
        return [skipped('Names of the columns.')];
      }
      if (this.options.positions === undefined) {
        return [failed(`The first line must name the columns: ${this.options.expected}.`)];
      }
      this.#names = this.options.positions;
    }
    const cells = this.#names.map((name, at) => [name, record[at] ?? ''] as const);
    return this.#read(Object.fromEntries(cells), row);
  }
}

function columnName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Returns the first cell that has a text, of columns that mean the same. */
export function cellOf(cells: Cells, names: readonly string[]): string {
  for (const name of names) if (Object.hasOwn(cells, name) && cells[name] !== '') return cells[name] ?? '';
  return '';
}
