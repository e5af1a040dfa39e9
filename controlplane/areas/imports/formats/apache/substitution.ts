import type { DestinationPart } from '../destination.js';
import { refusal } from '../outcome.js';

/** Destination of a `RewriteRule`. */
export interface Substitution {
  readonly parts: readonly DestinationPart[];
  /** Whether it has the host of the request. Then `parts` begin with the path. */
  readonly isSameHost: boolean;
  readonly hasQuery: boolean;
  /** Whether it ends with `?`, which drops the query, or names the whole query. */
  readonly ending: 'dropped' | 'forwarded' | undefined;
}

const TOKEN = /\\(.)|\$\{[^}]*\}|%\{([^}]*)\}|\$([0-9])|%([0-9])|[^\\$%]+|[\\$%]/gs;
const SAME_HOST =
  /^(?:https?|%\{REQUEST_SCHEME\}):\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}(?=\/|%\{REQUEST_URI\})/i;
const WHOLE_QUERY = /[?&]%\{QUERY_STRING\}$/i;

/**
 * Cuts a substitution at its groups and variables. Groups of the last condition have a `%` before their number.
 *
 * @param host of the request; null when it is not known
 * @param isEscaped whether Apache escapes the result, as it does without [NE]
 * @throws {Unread} for a variable that is not available
 */
export function readSubstitution(text: string, host: string | null, isEscaped: boolean): Substitution {
  const isSameHost = SAME_HOST.test(text);
  let rest = isSameHost ? text.replace(SAME_HOST, '') : text;
  const forwards = WHOLE_QUERY.test(rest);
  const drops = !forwards && rest.endsWith('?');
  if (forwards) rest = rest.replace(WHOLE_QUERY, '');
  else if (drops) rest = rest.slice(0, -1);
  const parts = Array.from(rest.matchAll(TOKEN), (found) => partOf(found, host, isEscaped));
  const hasQuery = parts.some((part) => 'text' in part && part.text.includes('?'));
  return { parts, isSameHost, hasQuery, ending: forwards ? 'forwarded' : drops ? 'dropped' : undefined };
}

function partOf(found: RegExpExecArray, host: string | null, isEscaped: boolean): DestinationPart {
  const [text, escaped, variable, group, conditionGroup] = found;
  if (group !== undefined) return { capture: group };
  if (conditionGroup !== undefined) return { capture: `%${conditionGroup}` };
  if (variable !== undefined) return variableOf(variable, host);
  if (text.startsWith('${')) {
    throw refusal('RewriteMap is not available. Write one rule for each entry of the map.', 'destination');
  }
  const literal = escaped ?? text;
  return { text: isEscaped ? literal.replace(/[%#\s"]/g, encodeURIComponent) : literal };
}

function variableOf(variable: string, host: string | null): DestinationPart {
  const name = variable.toUpperCase();
  if (name === 'REQUEST_URI') return { path: true };
  if ((name === 'HTTP_HOST' || name === 'SERVER_NAME') && host !== null && !host.startsWith('*')) {
    return { text: host };
  }
  throw refusal(`%{${variable}} is not available in destinations. Write its value.`, 'destination');
}
