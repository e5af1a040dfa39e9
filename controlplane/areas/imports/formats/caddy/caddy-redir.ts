import { type DestinationPart, fillDestination, requireElsewhere } from '../destination.js';
import type { ImportedRedirect } from '../import-format.js';
import { forEach, type Outcome, redirectStatusOf, refusal, taken } from '../outcome.js';
import { scopePaths } from '../path-scope.js';
import type { RegexPath } from '../regex/regex-paths.js';
import { type CaddyScope, isMatcher, type NamedMatchers, withMatcher } from './caddy-matchers.js';

const WORDS = new Map<string, 301 | 302>([
  ['permanent', 301],
  ['temporary', 302],
]);
const DEFAULT_STATUS = '302';

/** Reads `redir [matcher] <to> [code]`. */
export function readRedir(args: readonly string[], outer: CaddyScope, named: NamedMatchers): Outcome[] {
  const [first = ''] = args;
  const hasMatcher = isMatcher(first);
  const [to = '', code = DEFAULT_STATUS, ...more] = hasMatcher ? args.slice(1) : args;
  if (to === '' || more.length > 0) {
    throw refusal('redir takes a matcher, a destination and a status.', 'destination');
  }
  if (code === 'html') {
    throw refusal('Redirects by an HTML page are not available. Write a status.', 'statusCode');
  }
  const statusCode = WORDS.get(code) ?? redirectStatusOf(code);
  const scope = hasMatcher ? withMatcher(outer, first, named) : outer;
  if (scope.refusal !== undefined) throw scope.refusal;
  return forEach(scope.hosts, scopePaths(scope), ({ host }, path) =>
    redirectOf({ to, scope, host, path, statusCode }),
  );
}

/** Reads `respond [matcher] [body] 410`. Other answers are not redirects. */
export function readGone(args: readonly string[], outer: CaddyScope, named: NamedMatchers): Outcome[] {
  if (args.at(-1) !== '410') return [];
  const [first = ''] = args;
  const scope = args.length > 1 && isMatcher(first) ? withMatcher(outer, first, named) : outer;
  if (scope.refusal !== undefined) throw scope.refusal;
  return forEach(scope.hosts, scopePaths(scope), ({ host }, { path, ending: pathEnding }) =>
    taken({ host, path, pathEnding, query: scope.query, statusCode: 410 }),
  );
}

interface Redir {
  readonly to: string;
  readonly scope: CaddyScope;
  readonly host: string | null;
  readonly path: RegexPath;
  readonly statusCode: ImportedRedirect['statusCode'];
}

function redirectOf({ to, scope, host, path: { path, ending, captures }, statusCode }: Redir): Outcome {
  const { parts, forwardsQuery: queryForwarding } = readCaddyDestination(to, { host, scheme: scope.scheme });
  const requested = path.startsWith(scope.stripped) ? path.slice(scope.stripped.length) : path;
  const destination = fillDestination(parts, { path: requested, captures });
  requireElsewhere(destination, path);
  const { query } = scope;
  return taken({ host, path, pathEnding: ending, query, destination, statusCode, queryForwarding });
}

const SAME_HOST =
  /^(?:https?|\{scheme\}|\{http\.request\.scheme\}):\/\/\{(?:http\.request\.)?(?:host|hostport)\}(?=\/|\{|$)/;
const WHOLE_QUERY =
  /(?:[?&]\{(?:query|http\.request\.uri\.query)\}|\{(?:\?query|http\.request\.uri\.prefixed_query)\})$/;
const WHOLE_URI = /\{(?:uri|http\.request\.uri)\}$/;
const TOKEN = /\{([^{}]*)\}|[^{]+|\{/g;

/** Splits a destination at its placeholders. @throws {Unread} for a placeholder that Waymark does not have */
function readCaddyDestination(
  text: string,
  { host, scheme }: { host: string | null; scheme: 'http' | 'https' | undefined },
) {
  let rest = SAME_HOST.test(text) ? text.replace(SAME_HOST, '') || '/' : text;
  const forwardsQuery = WHOLE_QUERY.test(rest) || WHOLE_URI.test(rest);
  rest = rest.replace(WHOLE_QUERY, '').replace(WHOLE_URI, '{path}');
  const parts = Array.from(rest.matchAll(TOKEN), ([found, name]) =>
    name === undefined ? { text: found } : placeholder(name, host, scheme),
  );
  return { parts, forwardsQuery };
}

function placeholder(
  name: string,
  host: string | null,
  scheme: 'http' | 'https' | undefined,
): DestinationPart {
  const short = name
    .replace(/^http\.request\.uri\.prefixed_query$/, 'query')
    .replace(/^http\.request\.uri\./, '')
    .replace(/^http\.request\./, '')
    .replace(/^http\.regexp\./, 're.');
  if (short === 'path') return { path: true };
  if (short.startsWith('re.')) return { capture: short.slice('re.'.length) };
  if (short.startsWith('query.')) return { parameter: short.slice('query.'.length) };
  if ((short === 'host' || short === 'hostport') && host !== null && !host.startsWith('*'))
    return { text: host };
  if (short === 'scheme' && scheme !== undefined) return { text: scheme };
  throw refusal(
    short === 'uri' || short === 'query'
      ? `{${name}} holds the query and must stand at the end. Write {path} for the path.`
      : `{${name}} is not available in destinations. Write its value.`,
    'destination',
  );
}
