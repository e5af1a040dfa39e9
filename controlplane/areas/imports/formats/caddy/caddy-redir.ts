import { fillDestination } from '../destination.js';
import { isAbsoluteUrl } from '../host.js';
import type { ImportedRedirect } from '../import-format.js';
import { failed, forEach, isRefusal, type Outcome, refused, taken } from '../outcome.js';
import { scopePaths } from '../path-scope.js';
import { statusCodeOf, unfitStatus } from '../redirect-status.js';
import type { RegexPath } from '../regex/regex-paths.js';
import { readCaddyDestination } from './caddy-destination.js';
import { type CaddyScope, isMatcher, type NamedMatchers, withMatcher } from './caddy-matchers.js';

const WORDS: Readonly<Record<string, number>> = { permanent: 301, temporary: 302 };
const DEFAULT_STATUS = '302';

/** Reads `redir [matcher] <to> [code]`. */
export function readRedir(args: readonly string[], outer: CaddyScope, named: NamedMatchers): Outcome[] {
  const [first = ''] = args;
  const hasMatcher = isMatcher(first);
  const [to = '', code = DEFAULT_STATUS, ...more] = hasMatcher ? args.slice(1) : args;
  if (to === '' || more.length > 0) {
    return [failed('redir takes a matcher, a destination and a status.', 'destination')];
  }
  if (code === 'html')
    return [failed('Redirects by an HTML page are not available. Write a status.', 'statusCode')];
  const statusCode = statusCodeOf(Object.hasOwn(WORDS, code) ? (WORDS[code] ?? 0) : Number(code));
  if (statusCode === undefined || statusCode === 410) return [unfitStatus(code)];
  const scope = hasMatcher ? withMatcher(outer, first, named) : outer;
  if (scope.refusal !== undefined) return [refused(scope.refusal)];
  return forEach(scope.hosts, scopePaths(scope), ({ host }, path) =>
    redirectOf({ to, scope, host, path, statusCode }),
  );
}

/** Reads `respond [matcher] [body] 410`. Other answers are no redirects. */
export function readGone(args: readonly string[], outer: CaddyScope, named: NamedMatchers): Outcome[] {
  if (args.at(-1) !== '410') return [];
  const [first = ''] = args;
  const scope = args.length > 1 && isMatcher(first) ? withMatcher(outer, first, named) : outer;
  if (scope.refusal !== undefined) return [refused(scope.refusal)];
  return forEach(scope.hosts, scopePaths(scope), ({ host }, { path, ending }) =>
    taken({
      host,
      path,
      pathEnding: ending,
      query: scope.query === null ? null : { ...scope.query },
      statusCode: 410,
    }),
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
  const destination = readCaddyDestination(to, { host, scheme: scope.scheme });
  if (isRefusal(destination)) return refused(destination);
  const requested = path.startsWith(scope.stripped) ? path.slice(scope.stripped.length) : path;
  const filled = fillDestination(destination.parts, { path: requested, captures });
  if (isRefusal(filled)) return refused(filled);
  if (!isAbsoluteUrl(filled) && !filled.startsWith('/')) {
    return failed('destination must be an http or https URL, or a path that starts with "/".', 'destination');
  }
  if (filled === path) {
    return failed(
      'The redirect leads to the same address, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
      'destination',
    );
  }
  const query = scope.query === null ? null : { ...scope.query };
  return taken({
    host,
    path,
    pathEnding: ending,
    query,
    destination: filled,
    statusCode,
    queryForwarding: destination.forwardsQuery,
  });
}
