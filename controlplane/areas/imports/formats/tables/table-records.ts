import { textLines } from '../text-lines.js';

/** Maximum characters of a record. */
export const MAX_RECORD_LENGTH = 65_536;
const DELIMITERS = [',', ';', '\t'] as const;

/** Record of a table. */
export interface TableRecord {
  /** Undefined when a quote is not closed, or the record is too long. */
  readonly cells: readonly string[] | undefined;
  /** Source text of the record, or its beginning if it is too long. */
  readonly source: string;
}

/**
 * Cuts CSV into records. A cell in quotes may have line breaks; two quotes in it stand for one (RFC 4180). A fault ends
 * with its record, which a parser of streams does not promise.
 */
export async function* tableRecords(text: AsyncIterable<string>): AsyncGenerator<TableRecord> {
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

  /** Returns whether the record goes on in the next line. */
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
