import { indexOrLength } from './index-or-length.js';

/**
 * The value of a cookie, of several with the name the first. Quotes around it are taken off, nothing is decoded
 * (RFC 6265, 4.2).
 *
 * @param header the whole `Cookie` value, empty without
 */
export function cookieValue(header: string, name: string): string | undefined {
  let equals = -1;
  for (let start = 0, end = 0; start < header.length; start = end + 1) {
    end = indexOrLength(header, ';', start);
    // Searched only once it is passed: a search for each pair would be quadratic when there is none.
    if (equals < start) equals = indexOrLength(header, '=', start);
    if (equals < end && isNamed(header, start, equals, name)) {
      return withoutQuotes(header.slice(equals + 1, end).trim());
    }
  }
  return undefined;
}

/** Whether the text from `from` to `to`, without the blanks around it, is `name`. */
function isNamed(header: string, from: number, to: number, name: string): boolean {
  let start = from;
  let end = to;
  while (start < end && isBlank(header, start)) start++;
  while (start < end && isBlank(header, end - 1)) end--;
  return end - start === name.length && header.startsWith(name, start);
}

function isBlank(header: string, index: number): boolean {
  const character = header[index];
  return character === ' ' || character === '\t';
}

function withoutQuotes(value: string): string {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return isQuoted ? value.slice(1, -1) : value;
}
