import { failed, type Outcome } from './outcome.js';

/** Maximum length of a line. The rest of a longer one is dropped, and its reading fails. */
export const MAX_LINE_LENGTH = 16_384;

export interface TextLine {
  /** Counted from 1. */
  readonly number: number;
  /** Text without its line break. If the line is too long, its beginning. */
  readonly text: string;
  readonly isTooLong: boolean;
}

/** Splits a text into lines. A line break at the end of the text begins no further line. */
export async function* textLines(text: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let number = 0;
  let carried = '';
  let isFirst = true;
  for await (const piece of text) {
    const rest = isFirst && piece !== '' ? piece.replace(/^\uFEFF/, '') : piece;
    isFirst &&= piece === '';
    let start = 0;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
      number += 1;
      yield lineOf(number, carried + rest.slice(start, end));
      carried = '';
      start = end + 1;
    }
    // Keep more characters than a line may have, so a longer line is detected.
    if (carried.length <= MAX_LINE_LENGTH + 1) carried += rest.slice(start, start + MAX_LINE_LENGTH + 2);
  }
  if (carried !== '') yield lineOf(number + 1, carried);
}

export function tooLong(): Outcome {
  return failed(`A line can have at most ${MAX_LINE_LENGTH} characters.`);
}

function lineOf(number: number, raw: string): TextLine {
  const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  if (text.length <= MAX_LINE_LENGTH) return { number, text, isTooLong: false };
  return { number, text: text.slice(0, MAX_LINE_LENGTH), isTooLong: true };
}
