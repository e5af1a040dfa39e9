import { indexOrLength } from './index-or-length.js';

/**
 * Returns the value of a cookie, or of the first one if several have the name. Removes quotes around it, and decodes
 * nothing (RFC 6265, section 4.2).
 *
 * @param header the whole `Cookie` value; empty if there is none
 */
export function cookieValue(header: string, name: string): string | undefined {
  let equals = -1;
  for (let start = 0, end = 0; start < header.length; start = end + 1) {
    end = indexOrLength(header, ';', start);
    // Search again only after the last position is passed. A search for each pair would be quadratic if there is none.
    if (equals < start) equals = indexOrLength(header, '=', start);
    if (equals < end && isNamed(header, start, equals, name)) {
      return withoutQuotes(header.slice(equals + 1, end).trim());
    }
  }
  return undefined;
}

/** Returns whether the text from `from` to `to`, without blanks around it, is `name`. */
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
