import { QueryParams } from '../visitor/query-params.js';
import { readBase32 } from './base32.js';
import { MAX_PATTERN_SEGMENTS, MAX_SOURCE_LENGTH } from './path-entry.js';
import { comparablePath, EXACT, hashKey, type PathShape, withoutTrailingSlash } from './path-key.js';
import { CODE_DIGITS, countAt, hashAt, lowerBound, pageOf, positionAt } from './path-page.js';
import type { PublishedPaths } from './published-paths.js';
import { isEndingMark, satisfies, satisfiesEnding } from './query-conditions.js';

/** Maximum length of a compared path. A character of a source may become three escaped bytes. */
const MAX_SOURCE_LENGTH_COMPARED = 9 * MAX_SOURCE_LENGTH;
const SPACE = 0x20;
const SLASH = 0x2f;
const DIGIT_0 = 0x30;
/**
 * First byte of `NO_CONDITIONS`. Other conditions begin with another character, which can be a mark of the path's end.
 */
const DASH = 0x2d;

/** Access to the pages of a table. */
export interface PathPages {
  /** The bytes that contain the last opened page, and the page's position in them. Valid until the table changes. */
  readonly bytes: Buffer;
  readonly start: number;
  /** Returns whether the page exists. */
  open(page: number): boolean;
}

/** The matching entry. The matcher reuses one object for all matches. */
export interface PathMatch {
  id: number;
  /** Status and traits; `path-page.ts` reads them. */
  code: number;
  template: string;
  /** Empty for an exact source. */
  shape: PathShape;
}

/** Positions of segments in the current path. All matchers share this array, because matching is synchronous. */
const starts = new Int32Array(MAX_PATTERN_SEGMENTS + 2);
/** Number of characters of the path after the part in the key. */
let beyond = 0;
/** Query parameters of the current match. All entries share them. */
const params = new QueryParams();
const match: PathMatch = { id: 0, code: 0, template: '', shape: EXACT };

/**
 * Finds the entry for a path. The cost grows with the number of shapes in the table and with the length of the path,
 * not with the number of entries. The query is parsed at most once. The cost of conditions is bounded for each table
 * (`MAX_CONDITIONS_PER_MATCH`).
 *
 * @param path raw, as on the wire
 * @param readQuery returns the raw query; called only if an entry has conditions
 * @returns an object that the next match overwrites; undefined if no entry matches
 */
export function matchPath(
  table: PublishedPaths,
  pages: PathPages,
  path: string,
  readQuery: () => string,
): PathMatch | undefined {
  if (path.charCodeAt(0) !== SLASH) return undefined;
  params.forget();
  const compared = comparablePath(path, table.ignoreCase === true);
  const stripped = table.strictSlash === true ? compared : withoutTrailingSlash(compared);
  if (stripped.length <= MAX_SOURCE_LENGTH_COMPARED) {
    beyond = compared.length - stripped.length;
    if (findEntry(table, pages, stripped, readQuery)) {
      match.shape = EXACT;
      return match;
    }
  }
  const { shapes } = table;
  if (shapes === undefined) return undefined;
  const segments = splitSegments(stripped);
  for (const shape of shapes) {
    const key = keyFor(shape, stripped, segments);
    if (key === undefined) continue;
    beyond = compared.length - endOf(shape);
    if (!findEntry(table, pages, key, readQuery)) continue;
    match.shape = shape;
    return match;
  }
  return undefined;
}

/**
 * Writes the start of each segment of a path to `starts`. After the last segment, writes where the next one would
 * start.
 *
 * @returns the number of segments, at most one more than patterns can have
 */
function splitSegments(path: string): number {
  starts[0] = 1;
  if (path.length === 1) return 0;
  let segments = 0;
  for (
    let slash = 0;
    slash !== -1 && segments <= MAX_PATTERN_SEGMENTS;
    slash = path.indexOf('/', slash + 1)
  ) {
    starts[segments] = slash + 1;
    segments += 1;
  }
  starts[segments] = path.length + 1;
  return segments;
}

/** Returns the key of the sources of a shape that match a path; undefined if none can. */
function keyFor(shape: PathShape, path: string, segments: number): string | undefined {
  const isPrefix = shape.endsWith('S');
  const length = isPrefix ? shape.length - 1 : shape.length;
  if (isPrefix ? segments < length : segments !== length) return undefined;
  const end = endOf(shape);
  if (end > MAX_SOURCE_LENGTH_COMPARED) return undefined;
  const first = shape.indexOf('P');
  if (first === -1) return shape + (length === 0 ? '' : path.slice(0, end));
  let key = shape;
  for (let index = 0; index < length; index += 1) {
    const start = starts[index] ?? 0;
    const next = index + 1 < length ? (starts[index + 1] ?? 0) - 1 : end;
    if (shape[index] === 'L') key += path.slice(start - 1, next);
    else if (next > start) key += '/:';
    else return undefined;
  }
  return key;
}

/** Returns the end of the path's part that sources of a shape describe. The path must have enough segments. */
function endOf(shape: PathShape): number {
  return (starts[shape.endsWith('S') ? shape.length - 1 : shape.length] ?? 0) - 1;
}

/** Puts the first entry of a key whose conditions hold into `match`. */
function findEntry(table: PublishedPaths, pages: PathPages, key: string, readQuery: () => string): boolean {
  const hash = hashKey(key, table.salt);
  const { pageBits = 0 } = table;
  if (!pages.open(pageOf(hash, pageBits))) return false;
  const { bytes, start } = pages;
  const count = countAt(bytes, start);
  for (let index = lowerBound(bytes, start, { count, hash, pageBits }); index < count; index += 1) {
    if (hashAt(bytes, start, index) !== hash) return false;
    const record = start + positionAt(bytes, start, index);
    if (isKeyAt(bytes, record, key) && readEntry(bytes, record + key.length + 1, readQuery)) return true;
  }
  return false;
}

function isKeyAt(bytes: Buffer, at: number, key: string): boolean {
  for (let index = 0; index < key.length; index += 1) {
    if (bytes[at + index] !== key.charCodeAt(index)) return false;
  }
  return bytes[at + key.length] === SPACE;
}

/** @param at position after the key */
function readEntry(bytes: Buffer, at: number, readQuery: () => string): boolean {
  let id = 0;
  let next = at;
  for (let digit = digitAt(bytes, next); digit >= 0 && digit <= 9; digit = digitAt(bytes, next)) {
    id = 10 * id + digit;
    next += 1;
  }
  const code = readBase32(bytes, next + 1, CODE_DIGITS);
  const conditionsAt = next + CODE_DIGITS + 2;
  const templateAt = endOfWord(bytes, conditionsAt) + 1;
  const mark = bytes[conditionsAt] ?? DASH;
  if (mark !== DASH) {
    if (!satisfiesEnding(mark, beyond)) return false;
    const queryAt = isEndingMark(mark) ? conditionsAt + 2 : conditionsAt;
    if (queryAt < templateAt) {
      const conditions = bytes.toString('latin1', queryAt, templateAt - 1);
      if (!satisfies(readQuery(), params, conditions)) return false;
    }
  }
  match.id = id;
  match.code = code;
  match.template = bytes.toString('latin1', templateAt, endOfWord(bytes, templateAt));
  return true;
}

/** Returns the position of the space after a text. Texts are short, so a loop is faster than a native search. */
function endOfWord(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== SPACE) end += 1;
  return end;
}

function digitAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) - DIGIT_0;
}
