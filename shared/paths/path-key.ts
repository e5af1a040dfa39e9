import { escapeForHeader } from '../ruleset/header-bytes.js';
import type { PathOptions } from './path-entry.js';
import { isParam, type PathSource } from './path-source.js';

/**
 * Arrangement of placeholders in a source, one letter per segment: `L` literal, `P` parameter, and `S` at the end for
 * `*`. An exact source has the empty shape. A path is looked up once for each shape of the table, which costs the same
 * for any number of entries (tuple space search: Srinivasan, Suri and Varghese, SIGCOMM 1999).
 */
export type PathShape = string;

export const EXACT: PathShape = '';

/** Matches characters that may need normalisation before a comparison. Few paths contain any. */
const SPECIAL = /[^!#$&-[\]-~]/;
const ESCAPE = /%[0-9a-fA-F]{2}/g;
/** Matches characters that a page may contain but JSON escapes. */
const QUOTED = /["\\]/g;

type KeyOptions = Pick<PathOptions, 'ignoreCase' | 'ignoreTrailingSlash'>;

/**
 * Returns a path in the form for comparing sources and requests. Bytes that a header cannot contain are
 * percent-encoded, the letters of escapes are upper-case, and the case is dropped if the table ignores it. The number
 * of slashes stays the same.
 */
export function comparablePath(path: string, ignoreCase: boolean): string {
  if (!SPECIAL.test(path)) return ignoreCase ? path.toLowerCase() : path;
  let text = escapeForHeader(path);
  if (text.includes('"') || text.includes('\\')) text = text.replace(QUOTED, quotedEscape);
  if (text.includes('%')) text = text.replace(ESCAPE, (found) => found.toUpperCase());
  return ignoreCase ? text.toLowerCase() : text;
}

function quotedEscape(character: string): string {
  return character === '"' ? '%22' : '%5C';
}

/** Returns `path` without its trailing slash. Keeps the path `/`. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

export function shapeOf({ segments, isPrefix }: PathSource, options: KeyOptions): PathShape {
  const compared = comparedSegments(segments, isPrefix, options);
  if (!isPrefix && !compared.some(isParam)) return EXACT;
  return compared.map((segment) => (isParam(segment) ? 'P' : 'L')).join('') + (isPrefix ? 'S' : '');
}

/** Returns the look-up key of a source. Sources with equal keys match the same paths. */
export function keyOf(source: PathSource, options: KeyOptions): string {
  const shape = shapeOf(source, options);
  const compared = comparedSegments(source.segments, source.isPrefix, options);
  const masked = compared.map((segment) =>
    isParam(segment) ? '/:' : `/${comparablePath(segment, options.ignoreCase)}`,
  );
  if (shape !== EXACT) return shape + masked.join('');
  return masked.length === 0 ? '/' : masked.join('');
}

function comparedSegments(
  segments: readonly string[],
  isPrefix: boolean,
  { ignoreTrailingSlash }: KeyOptions,
) {
  const hasSlash = !isPrefix && ignoreTrailingSlash && segments.length > 1 && segments.at(-1) === '';
  return hasSlash ? segments.slice(0, -1) : segments;
}

const RANKS = { L: 0, P: 1, S: 2 } as const;

/** Orders shapes by precedence: the longest literal prefix first, then `:name` before `*`. */
export function compareShapes(a: PathShape, b: PathShape): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const difference = rankAt(a, at) - rankAt(b, at);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rankAt(shape: PathShape, at: number): number {
  return RANKS[shape[at] as keyof typeof RANKS];
}

/**
 * Hashes a key with FNV-1a (Fowler, Noll and Vo) and the finalizer of MurmurHash3 (Appleby).
 *
 * @param salt of the table; owners do not know it, so they cannot make keys collide
 * @returns 32 bits, unsigned
 */
export function hashKey(key: string, salt: number): number {
  let hash = salt;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
