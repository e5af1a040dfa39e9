import type { QueryConditions } from '../../../../../shared/paths/path-entry.js';
import { hostName } from '../host.js';
import { type JsonRecord, recordOf } from '../json-items.js';
import { refusal, type Unread } from '../outcome.js';
import { ANY_HOST, NO_CAPTURES, type ScopeHost } from '../path-scope.js';
import { regexHosts } from '../regex/regex-hosts.js';

/** Requirements of `has` and `missing`. */
export interface VercelConditions {
  readonly hosts: readonly ScopeHost[];
  readonly query: QueryConditions | null;
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

/** Reads the conditions of an item. @throws {Unread} for a condition that Waymark cannot express */
export function readConditions({ has, missing }: JsonRecord): VercelConditions {
  let hosts: readonly ScopeHost[] = [ANY_HOST];
  const query = new Map<string, string | boolean>();
  const captures = new Map<string, string>();
  for (const condition of listOf(has)) {
    const { type, key, value } = recordOf(condition) ?? {};
    if (type === 'host' && typeof value === 'string') {
      hosts = hostsOf(value);
    } else if (
      type === 'query' &&
      typeof key === 'string' &&
      (value === undefined || typeof value === 'string')
    ) {
      query.set(key, queryOf(key, value, captures));
    } else throw unfit(type, key);
  }
  for (const condition of listOf(missing)) {
    const { type, key, value } = recordOf(condition) ?? {};
    if (type !== 'query' || typeof key !== 'string' || value !== undefined) throw unfit(type, key);
    query.set(key, false);
  }
  return { hosts, query: query.size === 0 ? null : Object.fromEntries(query), captures };
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function hostsOf(value: string): readonly ScopeHost[] {
  const host = hostName(value);
  return host === undefined
    ? regexHosts(`^${value.replace(/^\^|\$$/g, '')}$`)
    : [{ host, captures: NO_CAPTURES }];
}

function queryOf(key: string, value: string | undefined, captures: Map<string, string>): string | true {
  const any = value === undefined ? key : ANY_VALUE.exec(value)?.[1];
  if (any !== undefined) {
    captures.set(any, `{query.${key}}`);
    return true;
  }
  if (value !== undefined && /^\.[*+]$/.test(value)) return true;
  if (value !== undefined && LITERAL.test(value)) return value.replace(/\\(.)/g, '$1');
  throw refusal(
    `The value of the query parameter "${key}" must be literal, or any value: leave out "value".`,
    'query',
  );
}

function unfit(type: unknown, key: unknown): Unread {
  const attribute = typeof key === 'string' ? ATTRIBUTES[key.toLowerCase()] : undefined;
  const suggestion =
    attribute === undefined ? 'Write the redirect without it.' : `Create a rule on ${attribute} instead.`;
  return refusal(`The condition on ${String(type).slice(0, 50)} cannot be kept. ${suggestion}`);
}
