import type { ImportedRow, ImportFormat } from '../import-format.js';
import { OrderedPaths } from '../ordered-paths.js';
import { failed, type Outcome, readings, skipped } from '../outcome.js';
import { RowWriter } from '../row-writer.js';
import { textLines } from '../text-lines.js';

/** Maximum characters of a record. */
const MAX_RECORD_LENGTH = 65_536;
const DELIMITERS = [',', ';', '\t'] as const;
/** Maximum columns that are read. */
const MAX_COLUMNS = 100;

/** Cells of a record by the name of their column, in lower-case letters and digits. */
export type Cells = Readonly<Record<string, string>>;

export interface TableOptions {
  /** Names of columns, in their order, of a file without a header. Undefined if a header is required. */
  readonly positions?: readonly string[];
  /** Returns whether a first record is a header. */
  readonly isHeader: (names: readonly string[]) => boolean;
  /** Names that a header must have, for messages. */
  readonly expected: string;
  /** Reads one record. */
  readonly read: (cells: Cells) => readonly Outcome[];
  /** Whether the first record that matches a request decides. */
  readonly isOrdered?: boolean;
}

/** Creates a format of tables: CSV with commas, semicolons or tabs. The first line determines the separator. */
export function tableFormat(name: string, options: TableOptions): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const read = createReader(options);
      let row = 0;
      for await (const { cells, source } of tableRecords(text)) {
        row += 1;
        yield* rows.write(source, cells === undefined ? [unclosed(row)] : read(cells, row));
      }
    },
  };
}

function unclosed(row: number): Outcome {
  return failed(
    `Record ${row} is not valid CSV. Close its quotes. A record can have at most ${MAX_RECORD_LENGTH} characters.`,
  );
}

function createReader({ positions, isHeader, expected, read, isOrdered = false }: TableOptions) {
  const order = isOrdered ? new OrderedPaths() : undefined;
  let names: readonly string[] | undefined;
  return (cells: readonly string[], row: number): readonly Outcome[] => {
    const record = cells.map((cell) => cell.trim());
    if (record.every((cell) => cell === '')) return [skipped('Empty line.')];
    if (names === undefined) {
      const first = record.slice(0, MAX_COLUMNS).map(columnName);
      if (isHeader(first)) {
        names = first;
        return [skipped('Names of the columns.')];
      }
      if (positions === undefined) return [failed(`The first line must name the columns: ${expected}.`)];
      names = positions;
    }
    const named = Object.fromEntries(names.map((name, at) => [name, record[at] ?? '']));
    return readings(() => read(named)).map((outcome) => order?.place(outcome, row) ?? outcome);
  };
}

function columnName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Returns the first non-empty cell of columns with the same meaning. */
export function cellOf(cells: Cells, names: readonly string[]): string {
  for (const name of names) if (Object.hasOwn(cells, name) && cells[name] !== '') return cells[name] ?? '';
  return '';
}

/** Record of a table. */
interface TableRecord {
  /** Undefined if a quote is not closed or the record is too long. */
  readonly cells: readonly string[] | undefined;
  /** Source text of the record, or its beginning if it is too long. */
  readonly source: string;
}

/**
 * Cuts CSV into records. A cell in quotes may have line breaks; two quotes in it are one quote (RFC 4180). An error
 * affects only its record; CSV stream parsers do not guarantee this.
 */
async function* tableRecords(text: AsyncIterable<string>): AsyncGenerator<TableRecord> {
  let reader: RecordReader | undefined;
  let delimiter: string | undefined;
  for await (const line of textLines(text)) {
    delimiter ??= delimiterOf(line.text);
    reader ??= new RecordReader(delimiter);
    const isOpen = reader.add(line.text);
    const isTooLong = line.isTooLong || reader.source.length > MAX_RECORD_LENGTH;
    if (isOpen && !isTooLong) continue;
    yield { cells: isTooLong ? undefined : reader.cells, source: reader.source };
    reader = undefined;
  }
  if (reader !== undefined) yield { cells: undefined, source: reader.source };
}

function delimiterOf(line: string): string {
  const counts = DELIMITERS.map((delimiter) => [line.split(delimiter).length, delimiter] as const);
  return counts.reduce((best, one) => (one[0] > best[0] ? one : best))[1];
}

/** Reads one record, line by line. Each character is read once. */
class RecordReader {
  readonly cells: string[] = [];
  source = '';
  #quoted = '';
  #isOpen = false;

  constructor(private readonly delimiter: string) {}

  /** Returns whether the record continues in the next line. */
  add(line: string): boolean {
    this.source += this.#isOpen ? `\n${line}` : line;
    let at = this.#isOpen ? this.#readQuoted(line, 0, '\n') : this.#readCell(line, 0);
    while (at !== undefined && at <= line.length) at = this.#readCell(line, at);
    return this.#isOpen;
  }

  /** Returns the position after the cell and its delimiter, undefined after the last one. */
  #readCell(line: string, start: number): number | undefined {
    if (line[start] === '"') return this.#readQuoted(line, start + 1, '');
    const end = line.indexOf(this.delimiter, start);
    this.cells.push(end === -1 ? line.slice(start) : line.slice(start, end));
    return end === -1 ? undefined : end + 1;
  }

  #readQuoted(line: string, start: number, before: string): number | undefined {
    this.#quoted += before;
    let at = start;
    for (let end = line.indexOf('"', at); end !== -1; end = line.indexOf('"', at)) {
      const isDoubled = line[end + 1] === '"';
      this.#quoted += line.slice(at, isDoubled ? end + 1 : end);
      at = end + 2;
      if (!isDoubled) return this.#endQuoted(line, end + 1);
    }
    this.#quoted += line.slice(at);
    this.#isOpen = true;
    return undefined;
  }

  /** Text between the quote and the delimiter belongs to the cell. */
  #endQuoted(line: string, start: number): number | undefined {
    const end = line.indexOf(this.delimiter, start);
    this.cells.push(this.#quoted + (end === -1 ? line.slice(start) : line.slice(start, end)));
    this.#quoted = '';
    this.#isOpen = false;
    return end === -1 ? undefined : end + 1;
  }
}
