import { fillDestination } from '../destination.js';
import { isAbsoluteUrl } from '../host.js';
import type { ImportedRedirect } from '../import-format.js';
import { failed, forEach, isRefusal, type Outcome, refused, taken, withRemark } from '../outcome.js';
import { type ScopeHost, scopePaths } from '../path-scope.js';
import type { RegexPath } from '../regex/regex-paths.js';
import { type NginxDestination, readDestination } from './nginx-destination.js';
import type { Scope } from './nginx-scope.js';

export interface NginxRedirect {
  readonly scope: Scope;
  readonly statusCode: ImportedRedirect['statusCode'];
  /** Destination with variables; undefined for 410. */
  readonly destination: string | undefined;
  /** Whether nginx appends the query by itself. */
  readonly appendsQuery: boolean;
}

/** Returns the redirects of one directive: one for each host and path. */
export function redirectsOf(redirect: NginxRedirect): Outcome[] {
  const { scope } = redirect;
  if (scope.refusal !== undefined) return [refused(scope.refusal)];
  if (scope.hosts.length === 0) {
    return [failed('The server has no name that can be taken. Name each host in server_name.', 'host')];
  }
  return forEach(scope.hosts, scopePaths(scope), (host, path) => {
    const outcome = redirectOf(redirect, host, path);
    return scope.isForOtherHosts ? withRemark(outcome, FOR_OTHER_HOSTS) : outcome;
  });
}

const FOR_OTHER_HOSTS =
  'This server of nginx has no name and answers only hosts that no other server names. Remove the row if another server names the host.';

function redirectOf(redirect: NginxRedirect, { host, captures }: ScopeHost, path: RegexPath): Outcome {
  const { scope, statusCode, destination: text } = redirect;
  const query = scope.query === null ? null : { ...scope.query };
  const { ending: pathEnding, ignoresCase = false } = path;
  const common = { host, path: path.path, pathEnding, query, statusCode, ignoresCase };
  if (text === undefined) return taken(common);
  const groups = new Map([...captures, ...path.captures, ...scope.captures]);
  const { serverName, scheme } = scope;
  const destination = readDestination(text, { host, serverName, scheme, groups: new Set(groups.keys()) });
  if (isRefusal(destination)) return refused(destination);
  const filled = fillDestination(destination.parts, { path: path.path, captures: groups });
  if (isRefusal(filled)) return refused(filled);
  if (!isAbsoluteUrl(filled) && !filled.startsWith('/')) {
    return failed('destination must be an http or https URL, or a path that starts with "/".', 'destination');
  }
  if (filled === path.path) return failed(SAME_ADDRESS, 'destination');
  const forwards = scope.hasRawGroups ? rawForwarding(destination, groups) : false;
  if (isRefusal(forwards)) return refused(forwards);
  const outcome = taken({
    ...common,
    destination: filled,
    queryForwarding: redirect.appendsQuery || destination.forwardsQuery || forwards,
  });
  return scope.comparesQuery && !path.path.endsWith('/*') ? withRemark(outcome, COMPARES_QUERY) : outcome;
}

const COMPARES_QUERY =
  'nginx compares $request_uri with its query, so it may not match requests with another query. Waymark does.';

const SAME_ADDRESS =
  'The redirect leads to the same address, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.';

/** Returns whether a group that holds the query ends the destination, which forwards it. */
function rawForwarding(
  { parts, hasQuery }: NginxDestination,
  groups: ReadonlyMap<string, string>,
): boolean | { refusal: string; field: string } {
  const holds = parts.map(
    (part) => 'capture' in part && /(?:\*|:p\d+)$/.test(groups.get(part.capture) ?? ''),
  );
  if (!holds.includes(true)) return false;
  if (holds.indexOf(true) === holds.length - 1 && !hasQuery) return true;
  return {
    refusal:
      'The group also holds the query. Compare $uri instead of $request_uri, or put the group at the end.',
    field: 'destination',
  };
}
