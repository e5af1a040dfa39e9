import { hostName } from '../host.js';
import { recordOf } from '../json-items.js';
import { isRefusal, type Refusal } from '../outcome.js';
import { type RegexHost, regexHosts } from '../regex/regex-hosts.js';

/** Requirements of `has` and `missing`. */
export interface VercelConditions {
  readonly hosts: readonly RegexHost[] | undefined;
  readonly query: Readonly<Record<string, string | boolean>> | null;
  /** Placeholders of the query by the names of groups. */
  readonly captures: ReadonlyMap<string, string>;
}

const ATTRIBUTES: Readonly<Record<string, string>> = {
  'x-vercel-ip-country': 'country',
  'accept-language': 'language',
  'user-agent': 'user_agent',
  referer: 'referrer',
};
const ANY_VALUE = /^\(\?<([A-Za-z]\w*)>(?:\.[*+]|\[\^&?\][*+])\)$/;
const LITERAL = /^(?:[A-Za-z0-9_~%!@,:;/ =-]|\\[^A-Za-z0-9])*$/;

/** Reads the conditions of an item, or returns why they cannot be kept. */
export function readConditions(has: unknown, missing: unknown): VercelConditions | Refusal {
  let hosts: readonly RegexHost[] | undefined;
  const query = new Map<string, string | boolean>();
  const captures = new Map<string, string>();
  for (const condition of listOf(has)) {
    const { type, key, value } = recordOf(condition) ?? {};
    if (type === 'host' && typeof value === 'string') {
      const found = hostsOf(value);
      if (isRefusal(found)) return found;
      hosts = found;
    } else if (
      type === 'query' &&
      typeof key === 'string' &&
      (value === undefined || typeof value === 'string')
    ) {
      const found = queryOf(key, value, captures);
      if (isRefusal(found)) return found;
      query.set(key, found);
    } else return unfit(type, key);
  }
  for (const condition of listOf(missing)) {
    const { type, key, value } = recordOf(condition) ?? {};
    if (type !== 'query' || typeof key !== 'string' || value !== undefined) return unfit(type, key);
    query.set(key, false);
  }
  return { hosts, query: query.size === 0 ? null : Object.fromEntries(query), captures };
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function hostsOf(value: string): readonly RegexHost[] | Refusal {
  const host = hostName(value);
  return host === undefined
    ? regexHosts(`^${value.replace(/^\^|\$$/g, '')}$`)
    : [{ host, captures: new Map() }];
}

function queryOf(
  key: string,
  value: string | undefined,
  captures: Map<string, string>,
): string | true | Refusal {
  const any = value === undefined ? key : ANY_VALUE.exec(value)?.[1];
  if (any !== undefined) {
    captures.set(any, `{query.${key}}`);
    return true;
  }
  if (value !== undefined && /^\.[*+]$/.test(value)) return true;
  if (value !== undefined && LITERAL.test(value)) return value.replace(/\\(.)/g, '$1');
  return {
    refusal: `The value of the query parameter "${key}" must be literal, or any value: leave out "value".`,
    field: 'query',
  };
}

function unfit(type: unknown, key: unknown): Refusal {
  const attribute = typeof key === 'string' ? ATTRIBUTES[key.toLowerCase()] : undefined;
  const suggestion =
    attribute === undefined ? 'Write the redirect without it.' : `Create a rule on ${attribute} instead.`;
  return { refusal: `The condition on ${String(type).slice(0, 50)} cannot be kept. ${suggestion}` };
}
