import type { QueryConditions } from '../../../../../shared/paths/path-entry.js';
import { hostName } from '../host.js';
import { refusal, type Unread } from '../outcome.js';
import { NO_CAPTURES, narrowed, within, withLiteral } from '../path-scope.js';
import { decoded, queryCondition } from '../regex/query-regex.js';
import { regexHosts } from '../regex/regex-hosts.js';
import { regexPaths } from '../regex/regex-paths.js';
import { textsOf, type Word } from '../statements.js';
import type { Scope } from './nginx-scope.js';

interface Condition {
  readonly variable: string;
  readonly operator: string;
  readonly value: string;
}

const RULE_ATTRIBUTES: Readonly<Record<string, string>> = {
  http_user_agent: 'user_agent',
  http_referer: 'referrer',
  http_accept_language: 'language',
  remote_addr: 'ip_address',
  geoip_country_code: 'country',
  geoip2_data_country_code: 'country',
};
const HOSTS = new Set(['host', 'http_host', 'server_name']);
const PATHS = new Set(['request_uri', 'uri', 'document_uri']);
const SCHEMES = new Set(['scheme', 'https', 'server_port', 'http_x_forwarded_proto', 'ssl_protocol']);

/** Narrows a scope by the condition of an `if`. Redirects in a scope that Waymark cannot express are refused. */
export function withCondition(scope: Scope, words: readonly Word[]): Scope {
  return narrowed(scope, () => {
    const condition = readCondition(words);
    return condition === undefined ? scope : meeting(scope, condition);
  });
}

function meeting(scope: Scope, condition: Condition): Scope {
  const { variable, operator, value } = condition;
  if (HOSTS.has(variable)) return withHost(scope, condition);
  if (PATHS.has(variable)) return withPath(scope, condition);
  if (variable.startsWith('arg_')) {
    const name = variable.slice('arg_'.length);
    if (operator === '=' && value !== '') return withQuery(scope, { [name]: value });
    if (operator === '' || (operator === '!=' && value === '')) return withQuery(scope, { [name]: true });
    if (operator === '=') return withQuery(scope, { [name]: false });
  }
  if ((variable === 'args' || variable === 'query_string') && (operator === '~' || operator === '=')) {
    const { query, captures } =
      operator === '=' ? { query: queryOf(value), captures: NO_CAPTURES } : queryCondition(value);
    return { ...withQuery(scope, query), captures };
  }
  throw unfit(condition);
}

/** Returns undefined for `!-f`, `!-d` and `!-e`. They hold for every request, because Waymark has no files. */
function readCondition(words: readonly Word[]): Condition | undefined {
  const inner = withoutParentheses(words);
  if (inner === undefined) throw refusal('The condition has no parentheses.');
  const [variable = '', operator = '', ...values] = inner;
  if (/^!-[fde]$/.test(variable)) return undefined;
  if (!variable.startsWith('$')) throw refusal('Only conditions on a variable can be kept.');
  return { variable: variable.slice(1).replace(/^\{|\}$/g, ''), operator, value: values.join(' ') };
}

function withoutParentheses(words: readonly Word[]): readonly string[] | undefined {
  const texts = textsOf(words);
  const first = texts.shift();
  if (first === undefined || !first.startsWith('(')) return undefined;
  if (first !== '(') texts.unshift(first.slice(1));
  const last = texts.pop();
  if (last === undefined || !last.endsWith(')') || words.at(-1)?.isQuoted === true) return undefined;
  return last === ')' ? texts : [...texts, last.slice(0, -1)];
}

function withHost(scope: Scope, { operator, value }: Condition): Scope {
  if (operator === '~' || operator === '~*') {
    return { ...scope, hosts: regexHosts(value) };
  }
  const host = operator === '=' ? hostName(value) : undefined;
  if (host !== undefined) return { ...scope, hosts: [{ host, captures: NO_CAPTURES }] };
  throw refusal('The condition on the host cannot be kept. Name the hosts to redirect.', 'host');
}

function withPath(scope: Scope, { variable, operator, value }: Condition): Scope {
  const isRaw = variable === 'request_uri';
  if (operator === '=') {
    const [path = '', query] = isRaw ? value.split(/\?(.*)/s) : [value];
    const inner = query === undefined ? scope : withQuery(scope, queryOf(query));
    return { ...withLiteral(inner, path, isRaw), comparesQuery: isRaw };
  }
  if (operator === '~' || operator === '~*') {
    const paths = regexPaths(value, { isRaw, ignoresCase: operator === '~*' });
    return { ...within(scope, paths), hasRawGroups: isRaw, comparesQuery: isRaw };
  }
  throw refusal('A condition that excludes paths cannot be kept. Write the paths to redirect.', 'path');
}

function withQuery(scope: Scope, query: QueryConditions): Scope {
  return { ...scope, query: { ...scope.query, ...query } };
}

function unfit({ variable }: Condition): Unread {
  if (SCHEMES.has(variable)) {
    return refusal('Redirects to HTTPS are not entries. Set httpsMode of the redirect to "upgrade" instead.');
  }
  const attribute = RULE_ATTRIBUTES[variable];
  const suggestion =
    attribute === undefined ? 'Write the redirect without it.' : `Create a rule on ${attribute} instead.`;
  return refusal(`The condition on $${variable} cannot be kept. ${suggestion}`);
}

/** Returns conditions that require each parameter of a query. */
export function queryOf(query: string): QueryConditions {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s);
      return [decoded(name), value === undefined || decoded(value)];
    }),
  );
}
