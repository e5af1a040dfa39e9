import type { ImportedRow, ImportFormat } from './import-format.js';
import { failed, type Outcome, skipped } from './outcome.js';
import { RowWriter } from './row-writer.js';
import { type TextLine, textLines, tooLong } from './text-lines.js';

/** Directive of a configuration that consists of blocks. */
export interface Statement {
  readonly words: readonly Word[];
  /** Line of its first word. */
  readonly line: number;
  /** Undefined for a directive without a block. */
  readonly block: readonly Statement[] | undefined;
}

export interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

export function textsOf(words: readonly Word[]): string[] {
  return words.map(({ text }) => text);
}

/** Maximum lines of a configuration. Blocks refer to each other, so the whole file is read into memory. */
export const MAX_LINES = 200_000;
/** Maximum characters of a configuration. */
export const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Maximum redirects of an import. */
const MAX_REDIRECTS = 1_000_000;
/** Maximum depth of blocks. */
export const MAX_BLOCK_DEPTH = 32;

/** Collects the readings of the lines of a file in any order. */
export class LineReport {
  readonly #outcomes = new Map<number, Outcome[]>();

  #redirects = 0;

  /** Returns whether the file has as many redirects as an import can have. */
  get isFull(): boolean {
    return this.#redirects >= MAX_REDIRECTS;
  }

  add(line: number, outcome: Outcome): void {
    if (outcome.status === 'read') this.#redirects += 1;
    const outcomes = this.#outcomes.get(line);
    if (outcomes === undefined) this.#outcomes.set(line, [outcome]);
    else outcomes.push(outcome);
  }

  has(line: number): boolean {
    return this.#outcomes.has(line);
  }

  of(line: number): readonly Outcome[] | undefined {
    return this.#outcomes.get(line);
  }
}

/**
 * Creates a format whose lines are read together. `read` reports the lines that it understands; other lines are not
 * redirects.
 */
export function wholeFormat(
  name: string,
  read: (lines: readonly TextLine[], report: LineReport) => void,
): ImportFormat {
  return {
    name,
    async *read(text): AsyncGenerator<ImportedRow> {
      const rows = new RowWriter();
      const lines: TextLine[] = [];
      const later = textLines(text);
      let characters = 0;
      let next = await later.next();
      for (; next.done !== true && lines.length < MAX_LINES; next = await later.next()) {
        characters += next.value.text.length;
        if (characters > MAX_CHARACTERS) break;
        lines.push(next.value);
      }
      const report = new LineReport();
      read(lines, report);
      for (const line of lines) {
        yield* rows.write(line.text, report.of(line.number) ?? [unreported(line)], line.number);
      }
      for (; next.done !== true; next = await later.next()) {
        yield* rows.write(next.value.text, [beyond()], next.value.number);
      }
    },
  };
}

function unreported({ text, isTooLong }: TextLine): Outcome {
  if (isTooLong) return tooLong();
  const trimmed = text.trim();
  if (trimmed === '') return skipped('Empty line.');
  if (trimmed.startsWith('#')) return skipped('Comment.');
  const word = /^[^\s;{}"']{1,40}/.exec(trimmed)?.[0];
  return skipped(word === undefined ? 'Not a redirect.' : `"${word}" is no redirect.`);
}

/** Reading of a directive in a file that has too many redirects. */
export function tooMany(): Outcome {
  return failed(`A file can have at most ${MAX_REDIRECTS} redirects. Split it.`);
}

function beyond(): Outcome {
  return failed(`A file can have at most ${MAX_LINES} lines and ${MAX_CHARACTERS} characters. Split it.`);
}
