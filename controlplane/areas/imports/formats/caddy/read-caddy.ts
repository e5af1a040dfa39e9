import { failed } from '../outcome.js';
import { type LineReport, MAX_BLOCK_DEPTH, type Statement, type Word } from '../statements.js';
import type { TextLine } from '../text-lines.js';

interface OpenBlock {
  readonly words: readonly Word[];
  readonly line: number;
  readonly block: Statement[];
}

const MAX_WORDS = 1_000;
const WORD = /\S+/y;
/** An environment variable with a default. The import uses the default. */
const VARIABLE = /\{\$\w+:([^{}]*)\}/g;

/** Reads directives and blocks of a Caddyfile. Costs time in proportion to the length. Reports faults of the syntax. */
export function readCaddy(lines: readonly TextLine[], report: LineReport): readonly Statement[] {
  const reader = new CaddyReader(report);
  for (const line of lines) {
    if (!line.isTooLong) reader.read(line.text.replace(VARIABLE, '$1'), line.number);
  }
  return reader.end();
}

class CaddyReader {
  readonly #top: Statement[] = [];
  readonly #open: OpenBlock[] = [];
  #words: Word[] = [];
  #line = 0;
  #quote: string | undefined;
  #quoteLine = 0;
  #partial = '';
  /** Number of open blocks beyond the maximum depth. */
  #counted = 0;

  constructor(private readonly report: LineReport) {}

  read(text: string, number: number): void {
    let at = this.#quote === undefined ? 0 : this.#quoted(text, 0);
    while (at < text.length) {
      const character = text[at] ?? '';
      if (/\s/.test(character)) at += 1;
      else if (character === '#') break;
      else if (character === '\\' && text.slice(at + 1).trim() === '') return;
      else if (character === '"' || character === '`') {
        if (this.#words.length === 0) this.#line = number;
        [this.#quote, this.#quoteLine] = [character, number];
        at = this.#quoted(text, at + 1);
      } else at = this.#plain(text, at, number);
    }
    if (this.#quote !== undefined) this.#partial += '\n';
    else this.#endLine();
  }

  end(): readonly Statement[] {
    if (this.#quote !== undefined) {
      this.report.add(this.#quoteLine, failed(`The quotation has no ${this.#quote} at its end.`));
    }
    this.#endLine();
    const [first] = this.#open;
    if (first !== undefined)
      this.report.add(first.line, failed('The block is not closed. Write "}" at its end.'));
    while (this.#open.length > 0) this.#close();
    return this.#top;
  }

  #plain(text: string, start: number, number: number): number {
    WORD.lastIndex = start;
    const word = WORD.exec(text)?.[0] ?? '';
    if (this.#words.length === 0) this.#line = number;
    if (this.#words.length < MAX_WORDS) this.#words.push({ text: word, isQuoted: false });
    return start + word.length;
  }

  #quoted(text: string, start: number): number {
    let at = start;
    while (at < text.length && text[at] !== this.#quote)
      at += text[at] === '\\' && this.#quote === '"' ? 2 : 1;
    const end = Math.min(at, text.length);
    this.#partial += text.slice(start, end);
    if (at >= text.length) return text.length;
    if (this.#words.length < MAX_WORDS) {
      this.#words.push({ text: this.#partial.replaceAll('\\"', '"'), isQuoted: true });
    }
    this.#quote = undefined;
    this.#partial = '';
    return at + 1;
  }

  #endLine(): void {
    const words = this.#words;
    const last = words.at(-1);
    const isOpening = last?.text === '{' && !last.isQuoted;
    // A list of addresses continues after a comma.
    if (this.#open.length === 0 && last?.text.endsWith(',') === true) return;
    this.#words = [];
    if (words.length === 0) return;
    if (words.length === 1 && words[0]?.text === '}' && !words[0].isQuoted) this.#end();
    else if (isOpening) this.#begin(words.slice(0, -1));
    else if (this.#counted === 0) this.#block().push({ words, line: this.#line, block: undefined });
  }

  #begin(words: readonly Word[]): void {
    if (this.#open.length < MAX_BLOCK_DEPTH && this.#counted === 0) {
      this.#open.push({ words, line: this.#line, block: [] });
      return;
    }
    this.#counted += 1;
    this.report.add(this.#line, failed(`Blocks can be nested at most ${MAX_BLOCK_DEPTH} levels deep.`));
  }

  #end(): void {
    if (this.#counted > 0) this.#counted -= 1;
    else if (this.#open.length > 0) this.#close();
    else this.report.add(this.#line, failed('"}" closes no block.'));
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed !== undefined) this.#block().push(closed);
  }

  #block(): Statement[] {
    return this.#open.at(-1)?.block ?? this.#top;
  }
}
