import { type DestinationPart, fillDestination, requireElsewhere } from '../destination.js';
import type { ImportedRedirect } from '../import-format.js';
import { forEach, type Outcome, refusal, taken, type Unread, withRemark } from '../outcome.js';
import { type ScopeHost, scopePaths } from '../path-scope.js';
import type { RegexPath } from '../regex/regex-paths.js';
import type { Scope } from './nginx-scope.js';

export interface NginxRedirect {
  readonly scope: Scope;
  readonly statusCode: ImportedRedirect['statusCode'];
  /** Destination with variables; undefined for 410. */
  readonly destination: string | undefined;
  /** Whether nginx appends the query. */
  readonly appendsQuery: boolean;
}

/** Returns the redirects of one directive: one for each host and path. */
export function redirectsOf(redirect: NginxRedirect): Outcome[] {
  const { scope } = redirect;
  if (scope.refusal !== undefined) throw scope.refusal;
  if (scope.hosts.length === 0) {
    throw refusal('The server has no name that can be taken. Name each host in server_name.', 'host');
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
  const { ending: pathEnding, ignoresCase = false } = path;
  const common = { host, path: path.path, pathEnding, query: scope.query, statusCode, ignoresCase };
  if (text === undefined) return taken(common);
  const groups = new Map([...captures, ...path.captures, ...scope.captures]);
  const { serverName, scheme } = scope;
  const destination = readDestination(text, { host, serverName, scheme, groups: new Set(groups.keys()) });
  const filled = fillDestination(destination.parts, { path: path.path, captures: groups });
  requireElsewhere(filled, path.path);
  const forwards = scope.hasRawGroups && rawForwarding(destination, groups);
  const outcome = taken({
    ...common,
    destination: filled,
    queryForwarding: redirect.appendsQuery || destination.forwardsQuery || forwards,
  });
  return scope.comparesQuery && !path.path.endsWith('/*') ? withRemark(outcome, COMPARES_QUERY) : outcome;
}

const COMPARES_QUERY =
  'nginx compares $request_uri with its query, so it may not match requests with another query. Waymark does.';

/** Returns whether the destination ends with a group that contains the query. This forwards the query. */
function rawForwarding({ parts, hasQuery }: NginxDestination, groups: ReadonlyMap<string, string>): boolean {
  const holds = parts.map(
    (part) => 'capture' in part && /(?:\*|:p\d+)$/.test(groups.get(part.capture) ?? ''),
  );
  if (!holds.includes(true)) return false;
  if (holds.indexOf(true) === holds.length - 1 && !hasQuery) return true;
  throw refusal(
    'The group also holds the query. Compare $uri instead of $request_uri, or put the group at the end.',
    'destination',
  );
}

/** Values of the variables in a destination. */
interface NginxVariables {
  /** Null if unknown. */
  readonly host: string | null;
  /** First name of the server. */
  readonly serverName: string | undefined;
  /** Undefined if the server answers both, or the scheme is unknown. */
  readonly scheme: 'http' | 'https' | undefined;
  /** Names of the groups of the last matching regular expression. */
  readonly groups: ReadonlySet<string>;
}

interface NginxDestination {
  readonly parts: readonly DestinationPart[];
  /** Whether it begins with the scheme and host of the request. The parts exclude them. */
  readonly isSameHost: boolean;
  readonly forwardsQuery: boolean;
  readonly hasQuery: boolean;
}

const SAME_HOST =
  /^(?:https?|\$scheme|\$\{scheme\}):\/\/(?:\$(?:http_)?host|\$\{(?:http_)?host\})(?=\/|\$|$)/;
const WHOLE_QUERY = /(?:\$is_args|[?&])\$(?:args|query_string)$/;
const TOKEN = /\$\{(\w+)\}|\$(\w+)|[^$]+|\$/g;
const PATHS = new Set(['uri', 'document_uri', 'request_uri']);

/** Splits a destination at its variables. @throws {Unread} for a variable that Waymark does not have */
function readDestination(text: string, variables: NginxVariables): NginxDestination {
  const isSameHost = SAME_HOST.test(text);
  let rest = isSameHost ? text.replace(SAME_HOST, '') : text;
  if (isSameHost && rest === '') rest = '/';
  let forwardsQuery = WHOLE_QUERY.test(rest);
  rest = rest.replace(WHOLE_QUERY, '');
  if (/\$(?:request_uri|\{request_uri\})$/.test(rest)) forwardsQuery = true;
  else if (/\$\{?request_uri/.test(rest)) {
    throw refusalOf('$request_uri holds the query and must stand at the end. Write $uri for the path.');
  }
  const parts = Array.from(rest.matchAll(TOKEN), ([found, braced, plain], at) => {
    const name = braced ?? plain;
    return name === undefined ? { text: found } : variableOf(name, variables, at === 0);
  });
  const hasQuery = parts.some((part) => 'text' in part && part.text.includes('?'));
  return { parts, isSameHost, forwardsQuery, hasQuery };
}

function variableOf(name: string, variables: NginxVariables, isFirst: boolean): DestinationPart {
  const { host, scheme, serverName, groups } = variables;
  if (/^\d$/.test(name) || groups.has(name)) return { capture: name };
  if (PATHS.has(name)) return { path: true };
  if (name.startsWith('arg_')) return { parameter: name.slice('arg_'.length) };
  if (name === 'scheme' && isFirst) {
    if (scheme !== undefined) return { text: scheme };
    throw refusalOf('The destination takes the scheme of the request. Write "https" instead of "$scheme".');
  }
  if (name === 'server_name' && serverName !== undefined) return { text: serverName };
  if ((name === 'host' || name === 'http_host') && host !== null && !host.startsWith('*'))
    return { text: host };
  throw refusalOf(`$${name} is not available in destinations. Write its value.`);
}

function refusalOf(message: string): Unread {
  return refusal(message, 'destination');
}
