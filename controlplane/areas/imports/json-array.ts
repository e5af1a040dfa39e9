import { AppError } from '../../errors/app-error.js';

const [QUOTE, BACKSLASH, COMMA, BRACE_END] = [0x22, 0x5c, 0x2c, 0x7d];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Yields the texts of the items of a JSON array while it arrives. They are not parsed here, so an invalid item does not
 * affect the others.
 *
 * @param maxLength of an item in characters
 * @throws {AppError} INVALID_REQUEST for a text that is not an array, does not end, or has an item that is empty or too
 * long
 */
export async function* itemsOf(text: AsyncIterable<string>, maxLength: number): AsyncGenerator<string> {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let isOver = false;
  let items = 0;
  let item = '';
  for await (const piece of text) {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) isInText = false;
        continue;
      }
      if (depth === 0) {
        // `trim` also removes the byte order mark.
        if (piece[at]?.trim() === '') continue;
        if (isOver || piece[at] !== '[') throw invalid('It must be one array.');
        depth = 1;
        start = at + 1;
      } else if (code === QUOTE) isInText = true;
      else if (OPENING.has(code)) depth += 1;
      else if (CLOSING.has(code) || (code === COMMA && depth === 1)) {
        const ends = depth === 1;
        if (code !== COMMA) depth -= 1;
        if (!ends) continue;
        item = (item + piece.slice(start, at)).trim();
        start = at + 1;
        if (code === BRACE_END) throw invalid('The array ends with "}".');
        isOver = code !== COMMA;
        requireShort(item, maxLength);
        if (item !== '') yield item;
        else if (items > 0 || !isOver) throw invalid('An item is missing beside a comma.');
        items += 1;
        item = '';
      }
    }
    if (depth > 0) item += piece.slice(start);
    requireShort(item, maxLength);
  }
  if (!isOver) throw invalid('The array does not end.');
}

function requireShort(item: string, maxLength: number): void {
  if (item.length > maxLength) throw invalid(`An item is longer than ${maxLength} characters.`);
}

function invalid(reason: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `The file is not valid JSON. ${reason}` });
}
