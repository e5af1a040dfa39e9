import { escapeForwarded } from './header-bytes.js';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
/** Length of an escape: `%41`. */
const ESCAPE_LENGTH = 3;

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

interface Parameter {
  /** The name as UTF-8. */
  readonly name: Uint8Array;
  /** `name=value`, both percent-encoded. */
  readonly text: string;
}

/**
 * Adds query parameters to locations. Omits a parameter if the request's query has one of the same name, with any
 * value. `appended-query-corpus.json` lists results.
 */
export class AppendedQuery {
  private readonly parameters: readonly Parameter[];
  /** All parameters, for requests without a query. */
  private readonly whole: string;

  /** @param query decoded names and values */
  constructor(query: Readonly<Record<string, string>>) {
    this.parameters = Object.entries(query).map(([name, value]) => ({
      name: utf8.encode(name),
      text: `${encodeComponent(name)}=${encodeComponent(value)}`,
    }));
    this.whole = this.parameters.map(({ text }) => text).join('&');
  }

  /**
   * Returns `location` with the parameters after its query and before its fragment.
   *
   * @param fragment the fragment at the end of `location`, with its `#`; empty if there is none
   * @param query the raw query of the request without its `?`
   */
  addTo(location: string, fragment: string, query: string | undefined): string {
    const added = this.missingFrom(query);
    if (added === '') return location;
    const beforeFragment = fragment === '' ? location : location.slice(0, -fragment.length);
    return beforeFragment + separatorAfter(beforeFragment) + added + fragment;
  }

  private missingFrom(query: string | undefined): string {
    if (query === undefined || query === '') return this.whole;
    const escaped = escapeForwarded(query);
    return this.parameters
      .filter(({ name }) => !hasParameter(escaped, name))
      .map(({ text }) => text)
      .join('&');
  }
}

/**
 * Returns a location with the id of a visit as the last parameter of its query, before its fragment. Keeps all other
 * bytes.
 *
 * @param name needs no escapes in a query
 */
export function withClickId(location: string, name: string, clickId: string): string {
  const hash = location.indexOf('#');
  const beforeFragment = hash === -1 ? location : location.slice(0, hash);
  const fragment = hash === -1 ? '' : location.slice(hash);
  return `${beforeFragment}${separatorAfter(beforeFragment)}${name}=${clickId}${fragment}`;
}

function separatorAfter(location: string): string {
  if (!location.includes('?')) return '?';
  return location.endsWith('?') || location.endsWith('&') ? '' : '&';
}

/** Encodes everything except the unreserved characters of RFC 3986 and `!'()*`. A lone surrogate becomes U+FFFD. */
function encodeComponent(text: string): string {
  return encodeURIComponent(fromUtf8.decode(utf8.encode(text)));
}

/**
 * Returns whether a parameter of a query has this name. Compares in place, because decoding would make long queries
 * expensive.
 */
function hasParameter(query: string, name: Uint8Array): boolean {
  for (let start = 0; start <= query.length; ) {
    if (isNamed(query, start, name)) return true;
    const end = query.indexOf('&', start);
    if (end === -1) return false;
    start = end + 1;
  }
  return false;
}

/** Returns whether the parameter that begins at `start` has the name. */
function isNamed(query: string, start: number, name: Uint8Array): boolean {
  let at = start;
  for (const byte of name) {
    const code = query.charCodeAt(at);
    const escaped = code === PERCENT ? escapedByteAt(query, at) : -1;
    const actual = escaped !== -1 ? escaped : code === PLUS ? SPACE : code;
    // A raw `=` or `&` ends the name.
    if (actual !== byte || code === EQUALS || code === AMPERSAND) return false;
    at += escaped === -1 ? 1 : ESCAPE_LENGTH;
  }
  const next = query.charCodeAt(at);
  return at === query.length || next === EQUALS || next === AMPERSAND;
}

/** Returns the byte of the escape at a position; -1 for a `%` without two hexadecimal digits. */
function escapedByteAt(query: string, at: number): number {
  const high = digitOf(query.charCodeAt(at + 1));
  const low = digitOf(query.charCodeAt(at + 2));
  return high === -1 || low === -1 ? -1 : 16 * high + low;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
