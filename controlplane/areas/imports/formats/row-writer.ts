import type { ImportedRow } from './import-format.js';
import type { Outcome } from './outcome.js';

/** Numbers the rows of a file. A line with several redirects becomes several rows. */
export class RowWriter {
  #last = 0;

  /** @param line number of the line; undefined for items */
  *write(source: string, outcomes: readonly Outcome[], line?: number): Iterable<ImportedRow> {
    for (const outcome of outcomes) {
      this.#last += 1;
      const row = this.#last;
      if (outcome.status === 'read') yield { row, source, ...outcome };
      else yield { row, source, ...outcome, message: placed(outcome.message, row, line) };
    }
  }
}

/** Names the line in a message once its number is no longer that of the row. */
function placed(message: string, row: number, line: number | undefined): string {
  return line === undefined || line === row ? message : `Line ${line}: ${message}`;
}
