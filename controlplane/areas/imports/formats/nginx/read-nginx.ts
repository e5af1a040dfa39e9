import { failed } from '../outcome.js';
import { type LineReport, MAX_BLOCK_DEPTH, type Statement, type Word } from '../statements.js';
import type { TextLine } from '../text-lines.js';

interface OpenBlock {
  readonly words: readonly Word[];
  readonly line: number;
  readonly block: Statement[];
}

/** Maximum words of a directive. */
const MAX_WORDS = 1_000;

/**
 * Reads directives and blocks in the syntax of nginx. Costs time in proportion to the length. Reports syntax errors and
 * continues after them.
 */
export function readNginx(lines: readonly TextLine[], report: LineReport): readonly Statement[] {
  const reader = new NginxReader(report);
  for (const line of lines) if (!line.isTooLong) reader.read(line.text, line.number);
  return reader.end();
}

class NginxReader {
  readonly #top: Statement[] = [];
  readonly #open: OpenBlock[] = [];
  #words: Word[] = [];
  #line = 0;
  #last = 0;
  /** Quoted word that continues in the next line. */
  #quote: string | undefined;
  #quoteLine = 0;
  #partial = '';
  /** Number of open braces of skipped text: blocks beyond the maximum depth, and Lua code. */
  #counted = 0;

  constructor(private readonly report: LineReport) {}

  read(text: string, number: number): void {
    this.#last = number;
    let at = 0;
    if (this.#quote !== undefined) at = this.#quoted(text, 0, number);
    while (at < text.length) {
      const character = text[at] ?? '';
      if (this.#counted > 0) {
        at = this.#count(at, character);
        continue;
      }
      if (character === '#') return;
      if (/\s/.test(character)) at += 1;
      else if (character === ';') at = this.#endDirective(at);
      else if (character === '{') at = this.#openBlock(at, number);
      else if (character === '}') at = this.#closeBlock(at, number);
      else if (character === '"' || character === "'") {
        this.#quote = character;
        this.#quoteLine = number;
        at = this.#quoted(text, at + 1, number);
      } else at = this.#plain(text, at, number);
    }
    if (this.#quote !== undefined) this.#partial += '\n';
  }

  end(): readonly Statement[] {
    if (this.#quote !== undefined) {
      this.report.add(this.#quoteLine, failed(`The quotation has no ${this.#quote} at its end.`));
    }
    if (this.#words.length > 0) {
      this.report.add(this.#line, failed('The directive has no ";" at its end.'));
    }
    if (this.#open.length > 0) {
      const { line } = this.#open[0] ?? { line: this.#last };
      this.report.add(line, failed('The block is not closed. Write "}" at its end.'));
      while (this.#open.length > 0) this.#close();
    }
    return this.#top;
  }

  #push(word: Word, number: number): void {
    if (this.#words.length === 0) this.#line = number;
    if (this.#words.length < MAX_WORDS) this.#words.push(word);
  }

  #plain(text: string, start: number, number: number): number {
    let at = start;
    while (at < text.length && !/[\s;{]/.test(text[at] ?? '')) {
      if (text[at] === '\\') at += 2;
      else if (text[at] === '$' && text[at + 1] === '{') at = closingBrace(text, at);
      else at += 1;
    }
    const end = Math.min(at, text.length);
    this.#push({ text: text.slice(start, end), isQuoted: false }, number);
    return end;
  }

  #quoted(text: string, start: number, number: number): number {
    let at = start;
    while (at < text.length && text[at] !== this.#quote) at += text[at] === '\\' ? 2 : 1;
    const end = Math.min(at, text.length);
    this.#partial += text.slice(start, end);
    if (at >= text.length) return text.length;
    this.#push({ text: this.#partial.replace(/\\(["'])/g, '$1'), isQuoted: true }, number);
    this.#quote = undefined;
    this.#partial = '';
    return at + 1;
  }

  #endDirective(at: number): number {
    if (this.#words.length > 0)
      this.#block().push({ words: this.#words, line: this.#line, block: undefined });
    this.#words = [];
    return at + 1;
  }

  #openBlock(at: number, number: number): number {
    const line = this.#words.length === 0 ? number : this.#line;
    const isTooDeep = this.#open.length >= MAX_BLOCK_DEPTH;
    if (isTooDeep)
      this.report.add(line, failed(`Blocks can be nested at most ${MAX_BLOCK_DEPTH} levels deep.`));
    if (isTooDeep || this.#words[0]?.text.endsWith('_by_lua_block')) this.#counted = 1;
    else this.#open.push({ words: this.#words, line, block: [] });
    this.#words = [];
    return at + 1;
  }

  #count(at: number, character: string): number {
    if (character === '{') this.#counted += 1;
    else if (character === '}') this.#counted -= 1;
    return at + 1;
  }

  #closeBlock(at: number, number: number): number {
    if (this.#words.length > 0) {
      this.report.add(this.#line, failed('The directive has no ";" at its end.'));
      this.#words = [];
    }
    if (this.#open.length > 0) this.#close();
    else if (!this.report.has(number)) this.report.add(number, failed('"}" closes no block.'));
    return at + 1;
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed !== undefined) this.#block().push(closed);
  }

  #block(): Statement[] {
    return this.#open.at(-1)?.block ?? this.#top;
  }
}

function closingBrace(text: string, at: number): number {
  const end = text.indexOf('}', at);
  return end === -1 ? text.length : end + 1;
}
