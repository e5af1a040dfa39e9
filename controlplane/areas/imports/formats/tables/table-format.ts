import type { ImportedRow, ImportFormat } from '../import-format.js';
import { failed, type Outcome, skipped } from '../outcome.js';
import { RowWriter } from '../row-writer.js';
import { MAX_RECORD_LENGTH, tableRecords } from './table-records.js';

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

/** Makes a format of tables: CSV with commas, semicolons or tabs. The first line decides which. */
export function tableFormat(name: string, options: TableOptions): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const table = new TableReader(options);
      let row = 0;
      for await (const { cells, source } of tableRecords(text)) {
        row += 1;
        const outcomes = cells === undefined ? [unclosed(row)] : table.read(cells, row);
        yield* rows.write(source, outcomes);
      }
    },
  };
}

function unclosed(row: number): Outcome {
  return failed(
    `Record ${row} is not valid CSV. Close its quotes. A record can have at most ${MAX_RECORD_LENGTH} characters.`,
  );
}

class TableReader {
  readonly #read: ReturnType<TableOptions['createReader']>;
  #names: readonly string[] | undefined;

  constructor(private readonly options: TableOptions) {
    this.#read = options.createReader();
  }

  read(cells: readonly string[], row: number): readonly Outcome[] {
    const record = cells.map((cell) => cell.trim());
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
    const named = this.#names.map((name, at) => [name, record[at] ?? ''] as const);
    return this.#read(Object.fromEntries(named), row);
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
