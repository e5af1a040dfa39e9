/** Apache splits at ASCII only: a non-breaking space belongs to a word. */
const SPACE = /[ \t\n\v\f\r]/;

/** Splits a directive into words. Quotes and backslashes keep spaces within a word. */
export function apacheWords(line: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (SPACE.test(line[at] ?? '')) {
      at += 1;
      continue;
    }
    const quote = line[at] === '"' || line[at] === "'" ? line[at] : undefined;
    const end = quote === undefined ? endOfPlain(line, at) : endOfQuoted(line, at + 1, quote);
    const raw = line.slice(quote === undefined ? at : at + 1, end);
    words.push(quote === undefined ? raw : raw.replaceAll(`\\${quote}`, quote));
    at = quote === undefined ? end : end + 1;
  }
  return words;
}

function endOfPlain(line: string, start: number): number {
  let at = start;
  while (at < line.length && !SPACE.test(line[at] ?? '')) at += line[at] === '\\' ? 2 : 1;
  return Math.min(at, line.length);
}

function endOfQuoted(line: string, start: number, quote: string): number {
  let at = start;
  while (at < line.length && line[at] !== quote) at += line[at] === '\\' ? 2 : 1;
  return Math.min(at, line.length);
}
