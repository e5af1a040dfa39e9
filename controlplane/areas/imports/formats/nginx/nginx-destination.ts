import type { DestinationPart } from '../destination.js';
import type { Refusal } from '../outcome.js';

/** Values of the variables in a destination. */
export interface NginxVariables {
  /** Null when it is not known. */
  readonly host: string | null;
  /** First name of the server. */
  readonly serverName: string | undefined;
  /** Undefined where the server answers both, or neither is known. */
  readonly scheme: 'http' | 'https' | undefined;
  /** Names of groups in the regular expression that matched last. */
  readonly groups: ReadonlySet<string>;
}

export interface NginxDestination {
  readonly parts: readonly DestinationPart[];
  /** Whether it begins with scheme and host of the request, which are not among the parts. */
  readonly isSameHost: boolean;
  readonly forwardsQuery: boolean;
  readonly hasQuery: boolean;
}

const SAME_HOST =
  /^(?:https?|\$scheme|\$\{scheme\}):\/\/(?:\$(?:http_)?host|\$\{(?:http_)?host\})(?=\/|\$|$)/;
const WHOLE_QUERY = /(?:\$is_args|[?&])\$(?:args|query_string)$/;
const TOKEN = /\$\{(\w+)\}|\$(\w+)|[^$]+|\$/g;
const PATHS = new Set(['uri', 'document_uri', 'request_uri']);

/** Cuts a destination at its variables, or returns why it cannot be kept. */
export function readDestination(text: string, variables: NginxVariables): NginxDestination | Refusal {
  const isSameHost = SAME_HOST.test(text);
  let rest = isSameHost ? text.replace(SAME_HOST, '') : text;
  if (isSameHost && rest === '') rest = '/';
  let forwardsQuery = WHOLE_QUERY.test(rest);
  rest = rest.replace(WHOLE_QUERY, '');
  if (/\$(?:request_uri|\{request_uri\})$/.test(rest)) forwardsQuery = true;
  else if (/\$\{?request_uri/.test(rest)) {
    return refusalOf('$request_uri holds the query and must stand at the end. Write $uri for the path.');
  }
  const parts: DestinationPart[] = [];
  for (const [found, braced, plain] of rest.matchAll(TOKEN)) {
    const name = braced ?? plain;
    const part = name === undefined ? { text: found } : variableOf(name, variables, parts.length === 0);
    if ('refusal' in part) return part;
    parts.push(part);
  }
  const hasQuery = parts.some((part) => 'text' in part && part.text.includes('?'));
  return { parts, isSameHost, forwardsQuery, hasQuery };
}

function variableOf(name: string, variables: NginxVariables, isFirst: boolean): DestinationPart | Refusal {
  const { host, scheme, serverName, groups } = variables;
  if (/^\d$/.test(name) || groups.has(name)) return { capture: name };
  if (PATHS.has(name)) return { path: true };
  if (name.startsWith('arg_')) return { parameter: name.slice('arg_'.length) };
  if (name === 'scheme' && isFirst) {
    return scheme === undefined
      ? refusalOf('The destination takes the scheme of the request. Write "https" instead of "$scheme".')
      : { text: scheme };
  }
  if (name === 'server_name' && serverName !== undefined) return { text: serverName };
  if ((name === 'host' || name === 'http_host') && host !== null && !host.startsWith('*'))
    return { text: host };
  return refusalOf(`$${name} is not available in destinations. Write its value.`);
}

function refusalOf(refusal: string): Refusal {
  return { refusal, field: 'destination' };
}
