import { indexOrLength } from '../visitor/index-or-length.js';
import type { QueryParams } from '../visitor/query-params.js';
import {
  MAX_QUERY_CONDITIONS,
  MAX_QUERY_TEXT_LENGTH,
  type PathFault,
  type QueryConditions,
} from './path-entry.js';

/** Text of an entry without conditions. */
export const NO_CONDITIONS = '-';

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
 * Orders the texts of conditions by precedence: more conditions first, then more values, then fewer absent parameters, then
 * by text.
 */
export function compareConditions(a: string, b: string): number {
  return (
    countOf(b) - countOf(a) ||
    countOf(b, '=') - countOf(a, '=') ||
    countOf(a, '!') - countOf(b, '!') ||
    (a < b ? -1 : a > b ? 1 : 0)
  );
}

/** Counts the conditions in a text that begin with a mark. */
function countOf(text: string, mark = ''): number {
  return text === NO_CONDITIONS ? 0 : text.split('&').filter((part) => part.startsWith(mark)).length;
}

/**
 * Returns whether a query satisfies conditions. Names and values are decoded as in rules; any value of a repeated
 * parameter may be the one that is asked for.
 *
 * @param query raw, without lone surrogates
 * @param params of this query
 * @param conditions as `packConditions` writes them
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
