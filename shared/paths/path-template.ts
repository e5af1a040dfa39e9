import { readUrl } from '../process/read-url.js';
import { splitDestination } from '../ruleset/destination-parts.js';
import { escapeForHeader } from '../ruleset/header-bytes.js';
import { toBase32 } from './base32.js';
import { MAX_DESTINATION_LENGTH, type PathFault } from './path-entry.js';
import type { PathSource } from './path-source.js';

/**
 * The published form of a destination: printable ASCII without spaces and without characters that JSON escapes. `~`
 * begins an escape or a placeholder. `fillTemplate` reads them.
 */
export interface PathTemplate {
  readonly text: string;
  /** Whether it is a path on the redirect's destination. */
  readonly isRelative: boolean;
  /** Whether it contains a `~`. */
  readonly isFilled: boolean;
  /** The host in the form for look-ups; undefined for a path. */
  readonly host: string | undefined;
}

export const TEMPLATE = {
  tilde: '~~',
  quote: '~q',
  backslash: '~b',
  /** Followed by a digit: the index of the segment. */
  segment: '~:',
  /** Followed by a digit: the number of segments before `*`. */
  rest: '~*',
  /** Followed by the encoded name of the parameter and `;`. */
  query: '~?',
  /** Followed by a digit: the index of the label, from 0. */
  host: '~@',
} as const;

const ABSOLUTE = /^https?:\/\/([^/?#\\]+)/i;
const SPECIAL = /[~"\\*]|:([A-Za-z][A-Za-z0-9_]*)|\{([^{}]*)\}/g;
const IP_LITERAL = /^\[[^\]]*\]/;
const QUERY = /^query\.(.+)$/;
const HOST = /^host\.([1-9])$/;

/**
 * Prepares a destination.
 *
 * @param isWildcard whether the redirect's host is a wildcard, which `{host.1}` needs
 */
export function readTemplate(
  destination: string,
  source: PathSource,
  isWildcard: boolean,
): PathTemplate | PathFault {
  if (destination.length > MAX_DESTINATION_LENGTH) {
    return fault(
      `destination must have at most ${MAX_DESTINATION_LENGTH} characters (got ${destination.length}).`,
    );
  }
  const isRelative = destination.startsWith('/');
  if (isRelative && /^\/[/\\]/.test(destination)) {
    return fault('destination must not start with two slashes: use an absolute URL to name another host.');
  }
  const authority = isRelative ? '' : ABSOLUTE.exec(destination)?.[1];
  if (authority === undefined) {
    return fault('destination must be an absolute http or https URL, or a path that starts with "/".');
  }
  if (!isRelative) {
    const problem = authorityFault(authority);
    if (problem !== undefined) return problem;
  }
  const parts = isRelative ? undefined : splitDestination(destination);
  const fit = parts === undefined ? escapeForHeader(destination) : parts.base + parts.query + parts.fragment;
  const [head, rest] = cutAfterAuthority(fit, isRelative);
  const filled = fill(rest, source, isWildcard);
  if (typeof filled !== 'string') return filled;
  const text = head + filled;
  return { text, isRelative, isFilled: text.includes('~'), host: parts?.host };
}

function authorityFault(authority: string): PathFault | undefined {
  if (authority.includes('@')) return fault('destination must not contain a user name or password.');
  if (/[{}*]|:[A-Za-z]/.test(authority.replace(IP_LITERAL, ''))) {
    return fault('Placeholders can only stand after the host of destination.');
  }
  return readUrl(`http://${authority}`) === undefined
    ? fault('destination must name a valid host.')
    : undefined;
}

function cutAfterAuthority(fit: string, isRelative: boolean): [string, string] {
  if (isRelative) return ['', fit];
  const start = fit.indexOf('://') + '://'.length;
  const length = fit.slice(start).search(/[/?#\\]/);
  return length === -1 ? [fit, ''] : [fit.slice(0, start + length), fit.slice(start + length)];
}

function fill(text: string, source: PathSource, isWildcard: boolean): string | PathFault {
  let problem: PathFault | undefined;
  const refuse = (message: string) => {
    problem ??= fault(message);
    return '';
  };
  const filled = text.replace(SPECIAL, (found, param?: string, braced?: string, at?: number) => {
    if (found === '~') return TEMPLATE.tilde;
    if (found === '"') return TEMPLATE.quote;
    if (found === '\\') return TEMPLATE.backslash;
    if (braced !== undefined) return bracedPlaceholder(braced, isWildcard, refuse);
    if (param === undefined) {
      if (!source.isPrefix) return refuse('"*" in destination needs a source that ends in "/*".');
      return TEMPLATE.rest + toBase32(source.segments.length, 1);
    }
    const segment = source.params.get(param);
    if (segment !== undefined) return TEMPLATE.segment + toBase32(segment, 1);
    return text[(at ?? 0) - 1] === '/'
      ? refuse(`":${param}" in destination is not a segment of source.`)
      : found;
  });
  return problem ?? filled;
}

function bracedPlaceholder(braced: string, isWildcard: boolean, refuse: (message: string) => string): string {
  const query = QUERY.exec(braced)?.[1];
  if (query !== undefined)
    return `${TEMPLATE.query}${encodeURIComponent(decoded(query)).replaceAll('~', '%7E')};`;
  const label = HOST.exec(braced)?.[1];
  if (label === undefined) {
    return refuse(`"{${braced}}" in destination must be {query.NAME}, or {host.1} to {host.9}.`);
  }
  if (!isWildcard) return refuse(`"{${braced}}" needs a redirect for a wildcard host like "*.example.com".`);
  return TEMPLATE.host + toBase32(Number(label) - 1, 1);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function fault(message: string): PathFault {
  return { field: 'destination', message };
}
