import { isObject } from '../rules/is-object.js';
import { MAX_PATH_SHAPES } from './path-entry.js';
import type { PathShape } from './path-key.js';
import type { PathPage } from './path-page.js';

/**
 * The head of a path table in the definition of its redirect. The entries are published in separate pages
 * (shared/decisions/0010-path-tables-in-pages.md).
 */
export interface PublishedPaths {
  /** Start of the hash; random for each table. */
  readonly salt: number;
  /** The table has `2 ** pageBits` pages. Absent for 0. */
  readonly pageBits?: number;
  /** Shapes of the sources with placeholders, the highest precedence first. Absent if there are none. */
  readonly shapes?: readonly PathShape[];
  readonly ignoreCase?: true;
  /** Set if a trailing slash is significant. */
  readonly strictSlash?: true;
  /** Absent for the redirect's own destination. */
  readonly unmatched?: 'not_found' | 'gone';
}

const SHAPE = /^[LP]{0,31}S?$/;
const MAX_PAGE_BITS = 16;

/** Returns whether a value has the structure of `PublishedPaths`. */
export function isPublishedPaths(value: unknown): value is PublishedPaths {
  if (!isObject(value)) return false;
  const {
    salt,
    pageBits = 0,
    shapes = [],
    ignoreCase = true,
    strictSlash = true,
    unmatched = 'gone',
  } = value;
  return (
    isWhole(salt, 2 ** 32 - 1) &&
    isWhole(pageBits, MAX_PAGE_BITS) &&
    Array.isArray(shapes) &&
    shapes.length <= MAX_PATH_SHAPES &&
    shapes.every((shape) => typeof shape === 'string' && SHAPE.test(shape)) &&
    ignoreCase === true &&
    strictSlash === true &&
    (unmatched === 'not_found' || unmatched === 'gone')
  );
}

function isWhole(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
}

/** A page with its key from `pageKey`. */
export interface PublishedPage {
  readonly host: string;
  readonly page: PathPage;
}

/** First character of the keys of pages. No host starts with it. */
const PAGE_KEY = '/';
/** Matches the key of a page. Ids are printable ASCII, and JSON does not escape any character of the key. */
const WHOLE_PAGE_KEY = /^\/[!#-.0-[\]-~]+\/\d{1,5}$/;
/** Matches the text of a page. JSON does not escape its characters, and each is one byte. */
const PAGE_TEXT = /^[ !#-[\]-~]+$/;

/** Returns the key under which a page is published, beside the hosts. */
export function pageKey(redirectId: string, page: number | ''): string {
  return `${PAGE_KEY}${redirectId}/${page}`;
}

/** Returns whether a key of a ruleset is that of a page, not a host. */
export function isPageKey(key: string): boolean {
  return key.startsWith(PAGE_KEY);
}

/** Returns whether a key and a text are those of a page. */
export function isPublishedPage(key: string, text: unknown): text is PathPage {
  return typeof text === 'string' && WHOLE_PAGE_KEY.test(key) && PAGE_TEXT.test(text);
}
