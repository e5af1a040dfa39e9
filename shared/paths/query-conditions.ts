import { indexOrLength } from '../visitor/index-or-length.js';
import type { QueryParams } from '../visitor/query-params.js';
import {
  MAX_QUERY_CONDITIONS,
  MAX_QUERY_TEXT_LENGTH,
  type PathEnding,
  type PathFault,
  type QueryConditions,
} from './path-entry.js';

/** Text of an entry without conditions. */
export const NO_CONDITIONS = '-';
const NOTHING_FOLLOWS = 0x24; // $
const MORE_FOLLOWS = 0x2b; // +
const SLASH_FOLLOWS = 0x2f; // /

/**
 * Writes conditions as one text without spaces: `=name=value`, `?name` (present) and `!name` (absent), joined by `&`, in
 * this order and then by name. Equal conditions give equal texts.
 */
export function packConditions(query: QueryConditions | null): string {
  const parts = Object.entries(query ?? {})
    .map(([name, wanted]) => {
      const encoded = encodeURIComponent(name);
      if (typeof wanted === 'string') return `=${encoded}=${encodeURIComponent(wanted)}`;
      return wanted ? `?${encoded}` : `!${encoded}`;
    })
    // "=" sorts before "?"; "!" goes last.
    .sort((a, b) => Number(a.startsWith('!')) - Number(b.startsWith('!')) || (a < b ? -1 : 1));
  return parts.length === 0 ? NO_CONDITIONS : parts.join('&');
}

/**
 * Orders the texts of conditions by precedence: more conditions on the query first, then more values, then fewer absent
 * parameters, then those with a mark of the path's end, then by text.
 */
export function compareConditions(a: string, b: string): number {
  return (
    countOf(b, '=?!') - countOf(a, '=?!') ||
    countOf(b, '=') - countOf(a, '=') ||
    countOf(a, '!') - countOf(b, '!') ||
    countOf(b, ENDING_MARKS) - countOf(a, ENDING_MARKS) ||
    (a < b ? -1 : a > b ? 1 : 0)
  );
}

/** Returns whether the text has query conditions, in addition to a mark of the path's end. */
export function hasQueryConditions(conditions: string): boolean {
  return conditions.length > 1;
}

/** Counts the conditions in a text that begin with one of some marks. */
function countOf(text: string, marks: string): number {
  return text.split('&').filter((part) => marks.includes(part.charAt(0))).length;
}

/** Marks of the end of a path, the narrowest first; see `endingMark`. */
const ENDING_MARKS = '$+/';

/**
 * Returns the mark before the conditions of an entry whose `pathEnding` is not `inherit`. It defines what may follow
 * the key in the path: nothing (`$`), a slash (`/`), or a slash and more (`+`). Empty if the key is enough.
 */
export function endingMark(
  ending: PathEnding,
  { segments, isPrefix }: { readonly segments: readonly string[]; readonly isPrefix: boolean },
  ignoreTrailingSlash: boolean,
): string {
  if (ending === 'inherit') return '';
  if (isPrefix) return ending === 'below' ? '+' : segments.length === 0 ? '' : '/';
  if (!ignoreTrailingSlash || segments.length === 0) return '';
  return segments.at(-1) === '' ? '/' : '$';
}

/** Writes conditions after a mark of `endingMark`. */
export function withEndingMark(mark: string, conditions: string): string {
  if (mark === '') return conditions;
  return conditions === NO_CONDITIONS ? mark : `${mark}&${conditions}`;
}

/**
 * Returns whether the end of a path satisfies a mark.
 *
 * @param mark first character of the text of conditions; a character that is not a mark is always satisfied
 */
export function satisfiesEnding(mark: number, beyond: number): boolean {
  if (mark === NOTHING_FOLLOWS) return beyond === 0;
  if (mark === SLASH_FOLLOWS) return beyond >= 1;
  return mark !== MORE_FOLLOWS || beyond >= 2;
}

export function isEndingMark(mark: number): boolean {
  return mark === NOTHING_FOLLOWS || mark === SLASH_FOLLOWS || mark === MORE_FOLLOWS;
}

/**
 * Returns whether a query satisfies conditions. Names and values are decoded as in rules. A condition holds if any
 * value of a repeated parameter satisfies it.
 *
 * @param query raw, without lone surrogates
 * @param params of this query
 * @param conditions as `packConditions` writes them, without a mark of the path's end
 */
export function satisfies(query: string, params: QueryParams, conditions: string): boolean {
  if (conditions === NO_CONDITIONS) return true;
  for (let start = 0, end = 0; start < conditions.length; start = end + 1) {
    end = indexOrLength(conditions, '&', start);
    if (!satisfiesOne(query, params, conditions.slice(start, end))) return false;
  }
  return true;
}

function satisfiesOne(query: string, params: QueryParams, part: string): boolean {
  if (part.startsWith('=')) {
    const equals = part.indexOf('=', 1);
    return params.hasValue(query, decoded(part.slice(1, equals)), decoded(part.slice(equals + 1)));
  }
  return params.values(query, decoded(part.slice(1))).length > 0 === part.startsWith('?');
}

function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** Returns the reason for refusing conditions; undefined when they are valid. */
export function conditionFault(query: QueryConditions | null): PathFault | undefined {
  const conditions = Object.entries(query ?? {});
  if (conditions.length > MAX_QUERY_CONDITIONS) {
    return fault(`query can have at most ${MAX_QUERY_CONDITIONS} conditions (got ${conditions.length}).`);
  }
  const texts = conditions.flatMap(([name, wanted]) =>
    typeof wanted === 'string' ? [name, wanted] : [name],
  );
  if (conditions.some(([name]) => name === '')) return fault('query must not have an empty parameter name.');
  if (texts.some((text) => text.length > MAX_QUERY_TEXT_LENGTH)) {
    return fault(`Names and values in query can have at most ${MAX_QUERY_TEXT_LENGTH} characters.`);
  }
  if (!texts.every(isWellFormed)) return fault('query must not contain unpaired surrogates.');
  return undefined;
}

function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

function fault(message: string): PathFault {
  return { field: 'query', message };
}
