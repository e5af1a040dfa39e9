import { splitDestination } from '../ruleset/destination-parts.js';
import { escapeForwarded } from '../ruleset/header-bytes.js';
import { digitAt } from './base32.js';
import { forwardsQueryIn, isFilledIn, isRelativeIn } from './path-page.js';
import { TEMPLATE } from './path-template.js';

/** Parts of a request that a destination uses. */
export interface PathRequest {
  /** Raw, as on the wire. */
  readonly path: string;
  /** Raw query without its `?`; empty if there is none. */
  readonly query: string;
  /** Part of the host that a wildcard matched; empty without a wildcard. */
  readonly labels: string;
}

/** Parts of a redirect that a destination uses. */
export interface PathBase {
  /** `scheme://host:port` of the redirect's destination. */
  readonly origin: string;
  readonly queryForwarding: boolean;
}

const SCHEME_END = '://';
const CODE_LENGTH = 2;

/** Returns `scheme://host:port` of a destination, fit for a header. */
export function originOf(destination: string): string {
  const { base } = splitDestination(destination);
  const authority = base.indexOf(SCHEME_END) + SCHEME_END.length;
  const length = base.slice(authority).search(/[/\\]/);
  return length === -1 ? base : base.slice(0, authority + length);
}

/**
 * Returns the `Location` of an entry: printable ASCII without spaces. Inserted values keep their bytes, except `#`
 * and those that a header cannot contain. Scheme, host and port are those of the destination.
 *
 * @param code as in `PathMatch`
 */
export function pathLocation(template: string, code: number, base: PathBase, request: PathRequest): string {
  const filled = isFilledIn(code) ? fillTemplate(template, request) : template;
  const location = isRelativeIn(code) ? base.origin + filled : filled;
  if (request.query === '' || !forwardsQueryIn(code, base.queryForwarding)) return location;
  return withQuery(location, escapeForwarded(request.query));
}

function withQuery(location: string, query: string): string {
  const hash = location.indexOf('#');
  const head = hash === -1 ? location : location.slice(0, hash);
  const mark = head.indexOf('?');
  const lead = mark === -1 ? '?' : mark === head.length - 1 ? '' : '&';
  return head + lead + query + location.slice(head.length);
}

function fillTemplate(template: string, request: PathRequest): string {
  let filled = '';
  let done = 0;
  for (let at = template.indexOf('~'); at !== -1; at = template.indexOf('~', done)) {
    filled += template.slice(done, at);
    const code = template.slice(at, at + CODE_LENGTH);
    done = at + CODE_LENGTH;
    if (code === TEMPLATE.tilde) filled += '~';
    else if (code === TEMPLATE.quote) filled += '"';
    else if (code === TEMPLATE.backslash) filled += '\\';
    else if (code === TEMPLATE.query) {
      const end = template.indexOf(';', done);
      filled += escapeForwarded(rawQueryValue(request.query, decodeURIComponent(template.slice(done, end))));
      done = end + 1;
    } else {
      filled += escapeForwarded(valueAt(code, digitAt(template, done), request));
      done += 1;
    }
  }
  return filled + template.slice(done);
}

function valueAt(code: string, digit: number, { path, labels }: PathRequest): string {
  if (code === TEMPLATE.rest) return path.slice(segmentStart(path, digit));
  if (code === TEMPLATE.host) return labels.split('.', digit + 1)[digit] ?? '';
  const start = segmentStart(path, digit);
  const end = path.indexOf('/', start);
  return end === -1 ? path.slice(start) : path.slice(start, end);
}

/** Returns the position of a segment, or the end of the path if it has fewer segments. */
function segmentStart(path: string, segment: number): number {
  let start = 1;
  for (let passed = 0; passed < segment; passed += 1) {
    const slash = path.indexOf('/', start);
    if (slash === -1) return path.length;
    start = slash + 1;
  }
  return start;
}

/** Returns the first value of a parameter, not decoded; empty if the query does not have it. */
function rawQueryValue(query: string, name: string): string {
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    if (rawName === name || decodedName(rawName) === name) return equals === -1 ? '' : pair.slice(equals + 1);
  }
  return '';
}

function decodedName(rawName: string): string | undefined {
  try {
    return decodeURIComponent(rawName.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
