import { indexOrLength } from './index-or-length.js';

/** Maximum encoded length of one UTF-16 unit: three bytes of UTF-8 with three characters each. */
const MAX_ENCODED_LENGTH = 9;
const ENCODED = /[%+]/;
const NONE: readonly string[] = [];

/**
 * Returns the values of a query parameter in their order, decoded like `URLSearchParams`: `+` is a space, malformed
 * escapes are kept, malformed UTF-8 becomes U+FFFD. Names are case-sensitive. Makes one pass over the query, and
 * builds nothing for other parameters.
 *
 * @param query raw, without its question mark and without lone surrogates
 * @param param the decoded name
 */
export function queryValues(query: string, param: string): readonly string[] {
  let values: string[] | undefined;
  let equals = -1;
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    end = indexOrLength(query, '&', start);
    if (end === start) continue;
    // Search again only after the last position is passed. A search for each pair would be quadratic if there is none.
    if (equals < start) equals = indexOrLength(query, '=', start);
    const nameEnd = Math.min(equals, end);
    if (!isNamed(query, start, nameEnd, param)) continue;
    values ??= [];
    values.push(decode(query.slice(nameEnd + 1, end)));
  }
  return values ?? NONE;
}

/** Returns whether the text from `start` to `end` is `param`, encoded or not. */
function isNamed(query: string, start: number, end: number, param: string): boolean {
  const length = end - start;
  if (length < param.length || length > param.length * MAX_ENCODED_LENGTH) return false;
  if (length === param.length && query.startsWith(param, start) && !ENCODED.test(param)) return true;
  const first = query.charAt(start);
  if (first !== param.charAt(0) && !ENCODED.test(first)) return false;
  const name = query.slice(start, end);
  return ENCODED.test(name) ? decode(name) === param : name === param;
}

function decode(text: string): string {
  if (!ENCODED.test(text)) return text;
  // The text is a single value: it has no "&", which ends a pair, and the first "=" is the added one.
  return new URLSearchParams(`?=${text}`).get('') ?? '';
}
