import { hostName } from '../host.js';
import { isRefusal, type Refusal } from '../outcome.js';
import { NO_CAPTURES, within, withLiteral } from '../path-scope.js';
import { queryCondition } from '../regex/query-regex.js';
import { regexHosts } from '../regex/regex-hosts.js';
import { regexPaths } from '../regex/regex-paths.js';
import type { Word } from '../statements.js';
import type { Scope } from './nginx-scope.js';
import { queryOf } from './request-key.js';

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
const SCHEMES = new Set(['scheme', 'https', 'server_port', 'http_x_forwarded_proto', 'ssl_protocol']);

/** Narrows a scope by the condition of an `if`. Redirects are refused in a scope that cannot be expressed. */
export function withCondition(scope: Scope, words: readonly Word[]): Scope {
  const condition = readCondition(words);
  if (condition === undefined) return scope;
  if (isRefusal(condition)) return { ...scope, refusal: condition };
  const { variable, operator, value } = condition;
  if (variable === 'host' || variable === 'http_host' || variable === 'server_name')
    return withHost(scope, condition);
  if (variable === 'request_uri' || variable === 'uri' || variable === 'document_uri')
    return withPath(scope, condition);
  if (variable.startsWith('arg_')) {
    const name = variable.slice('arg_'.length);
    if (operator === '=' && value !== '') return withQuery(scope, { [name]: value });
    if (operator === '' || (operator === '!=' && value === '')) return withQuery(scope, { [name]: true });
    if (operator === '=') return withQuery(scope, { [name]: false });
  }
  if ((variable === 'args' || variable === 'query_string') && (operator === '~' || operator === '=')) {
    const query = operator === '=' ? { query: queryOf(value), captures: NO_CAPTURES } : queryCondition(value);
    return isRefusal(query)
      ? { ...scope, refusal: query }
      : { ...withQuery(scope, query.query), captures: query.captures };
  }
  return { ...scope, refusal: unfit(condition) };
}

/** Returns nothing for a condition that holds for every request, as Waymark has no files. */
function readCondition(words: readonly Word[]): Condition | Refusal | undefined {
  const inner = withoutParentheses(words);
  if (inner === undefined) return { refusal: 'The condition has no parentheses.' };
  const [variable = '', operator = '', ...values] = inner;
  if (/^!-[fde]$/.test(variable)) return undefined;
  if (!variable.startsWith('$')) return { refusal: 'Only conditions on a variable can be kept.' };
  return { variable: variable.slice(1).replace(/^\{|\}$/g, ''), operator, value: values.join(' ') };
}

function withoutParentheses(words: readonly Word[]): readonly string[] | undefined {
  const texts = words.map(({ text }) => text);
  const first = texts.shift();
  if (first === undefined || !first.startsWith('(')) return undefined;
  if (first !== '(') texts.unshift(first.slice(1));
  const last = texts.pop();
  if (last === undefined || !last.endsWith(')') || words.at(-1)?.isQuoted === true) return undefined;
  return last === ')' ? texts : [...texts, last.slice(0, -1)];
}

function withHost(scope: Scope, { operator, value }: Condition): Scope {
  if (operator === '~' || operator === '~*') {
    const hosts = regexHosts(value);
    return isRefusal(hosts) ? { ...scope, refusal: hosts } : { ...scope, hosts };
  }
  const host = operator === '=' ? hostName(value) : undefined;
  if (host !== undefined) return { ...scope, hosts: [{ host, captures: NO_CAPTURES }] };
  return {
    ...scope,
    refusal: {
      refusal: 'The condition on the host cannot be kept. Name the hosts to redirect.',
      field: 'host',
    },
  };
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
    return isRefusal(paths)
      ? { ...scope, refusal: paths }
      : { ...within(scope, paths), hasRawGroups: isRaw, comparesQuery: isRaw };
  }
  return {
    ...scope,
    refusal: {
      refusal: 'A condition that excludes paths cannot be kept. Write the paths to redirect.',
      field: 'path',
    },
  };
}

function withQuery(scope: Scope, query: Readonly<Record<string, string | boolean>>): Scope {
  return { ...scope, query: { ...scope.query, ...query } };
}

function unfit({ variable }: Condition): Refusal {
  if (SCHEMES.has(variable)) {
    return {
      refusal: 'Redirects to HTTPS are not entries. Set httpsMode of the redirect to "upgrade" instead.',
    };
  }
  const attribute = RULE_ATTRIBUTES[variable];
  const suggestion =
    attribute === undefined ? 'Write the redirect without it.' : `Create a rule on ${attribute} instead.`;
  return { refusal: `The condition on $${variable} cannot be kept. ${suggestion}` };
}
