import type { ImportedRow, ImportFormat } from './import-format.js';
import { failed, type Outcome } from './outcome.js';
import { RowWriter } from './row-writer.js';
import { MAX_LINE_LENGTH, type TextLine, textLines } from './text-lines.js';

/** Reads lines one after the other. Returns nothing for a line that the next one continues. */
export type LineReader = (line: TextLine) => readonly Outcome[];

/** Makes a format of lines. `createReader` is called once per file. */
export function lineFormat(name: string, createReader: () => LineReader): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const read = createReader();
      for await (const line of textLines(text)) {
        const outcomes = line.isTooLong ? [tooLong()] : read(line);
        yield* rows.write(line.text, outcomes, line.number);
      }
    },
  };
}

export function tooLong(): Outcome {
  return failed(`A line can have at most ${MAX_LINE_LENGTH} characters.`);
}
