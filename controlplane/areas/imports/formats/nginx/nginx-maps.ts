import { readAddress } from '../host.js';
import { failed, type Outcome, readings, refusal, skipped } from '../outcome.js';
import {
  ANY_HOST,
  EVERY_PATH,
  hostsOfName,
  NO_CAPTURES,
  type ScopeHost,
  within,
  withLiteral,
} from '../path-scope.js';
import { regexHosts } from '../regex/regex-hosts.js';
import { regexPaths } from '../regex/regex-paths.js';
import type { LineReport, Statement, Word } from '../statements.js';
import { queryOf } from './nginx-condition.js';
import { redirectsOf } from './nginx-redirect.js';
import { EVERY_REQUEST, type Scope } from './nginx-scope.js';

/** A directive that redirects to the value of a map. */
export interface MapUse {
  readonly line: number;
  readonly statusCode: 301 | 302 | 307 | 308;
  /** Text before the variable. */
  readonly prefix: string;
  readonly appendsQuery: boolean;
  readonly hosts: readonly ScopeHost[];
}

/** Value that the entries of a map are compared with. */
type MapSource = 'path' | 'request' | 'host' | 'address';

const SOURCES: readonly (readonly [RegExp, MapSource])[] = [
  [/^\$(?:uri|document_uri)$/, 'path'],
  [/^\$request_uri$/, 'request'],
  [/^\$(?:http_)?host$|^\$server_name$/, 'host'],
  [/^(?:\$scheme:\/\/)?\$(?:http_)?host\$(?:request_uri|uri|document_uri)$/, 'address'],
];
const NO_USE: MapUse = { line: 0, statusCode: 301, prefix: '', appendsQuery: false, hosts: [] };
const SETTINGS = new Set(['hostnames', 'volatile']);

/** Reports the entries of a `map` block. */
export function reportMap(map: Statement, uses: readonly MapUse[], report: LineReport): void {
  const compared = (map.words[1]?.text ?? '').replace(/\$\{(\w+)\}/g, '$$$1');
  const source = SOURCES.find(([pattern]) => pattern.test(compared))?.[1];
  const [use = NO_USE, ...others] = uses;
  for (const other of others) if (!isSame(use, other)) report.add(other.line, otherUse(use));
  for (const entry of map.block ?? []) {
    const outcomes =
      source === undefined
        ? [skipped(`A map of ${compared} is not by path or host.`)]
        : readings(() => entryOutcomes(entry, source, use));
    for (const outcome of outcomes) report.add(entry.line, outcome);
  }
}

function isSame(a: MapUse, b: MapUse): boolean {
  return a.statusCode === b.statusCode && a.prefix === b.prefix;
}

function otherUse({ line }: MapUse): Outcome {
  return failed(`Line ${line} redirects by the same map in another way. Import the map once for each.`);
}

function entryOutcomes({ words, block }: Statement, source: MapSource, use: MapUse): Outcome[] {
  const [key, value, ...more] = words;
  if (key === undefined || block !== undefined || more.length > 0) {
    throw refusal('An entry of a map takes a key and a value.');
  }
  if (SETTINGS.has(key.text)) return [skipped('A setting of the map.')];
  if (key.text === 'include') return [skipped('Entries in another file. Import that file as well.')];
  if (value === undefined) throw refusal('The entry has no value.', 'destination');
  const isValue = /^(?:https?:\/\/|\/|\$)/i.test(use.prefix + value.text);
  if (!isValue || value.text === '' || isOwnAddress(value.text)) {
    return [skipped(`"${value.text.slice(0, 100)}" leads nowhere else.`)];
  }
  const { statusCode, appendsQuery } = use;
  const scope = keyScope(key, source, use);
  return redirectsOf({ scope, statusCode, destination: use.prefix + value.text, appendsQuery });
}

function isOwnAddress(value: string): boolean {
  return /^\$(?:request_uri|uri|document_uri)$/.test(value);
}

function keyScope(key: Word, source: MapSource, { hosts }: MapUse): Scope {
  const scope: Scope = {
    ...EVERY_REQUEST,
    // Do not repeat the entries for each host of a server: a table contains paths only.
    hosts: hosts.length === 1 ? hosts : [ANY_HOST],
    hasRawGroups: source === 'request' && key.text.startsWith('~'),
    comparesQuery: source === 'request',
  };
  const text = key.text.replace(/^\\(?=.)/, '');
  if (key.text === 'default') {
    if (source !== 'host') return scope;
    throw refusal('The default is for hosts that are not named. Name the hosts.', 'host');
  }
  if (key.text.startsWith('~')) return regexScope(scope, key.text, source);
  if (source === 'host') return { ...scope, hosts: requireHosts(text) };
  if (source === 'address') return addressScope(scope, text);
  if (!text.startsWith('/')) throw refusal('The path must start with "/".', 'path');
  const [path = '', query] = source === 'request' ? text.split(/\?(.*)/s) : [text];
  return withLiteral({ ...scope, query: conditionsOf(query) }, path, source === 'request');
}

function conditionsOf(query: string | undefined): Scope['query'] {
  return query === undefined ? null : queryOf(query);
}

function regexScope(scope: Scope, key: string, source: MapSource): Scope {
  const ignoresCase = key.startsWith('~*');
  const expression = key.slice(ignoresCase ? 2 : 1);
  if (source === 'address') {
    throw refusal(
      'A regular expression on host and path cannot be split. Write a map of $uri for each host.',
      'path',
    );
  }
  if (source === 'host') return { ...scope, hosts: regexHosts(expression), paths: [EVERY_PATH] };
  return within(scope, regexPaths(expression, { isRaw: source === 'request', ignoresCase }));
}

function requireHosts(text: string): readonly ScopeHost[] {
  const hosts = hostsOfName(text);
  if (hosts.length === 0) throw refusal(`"${text}" is no host.`, 'host');
  return hosts;
}

function addressScope(scope: Scope, text: string): Scope {
  const address = readAddress(text);
  if (address === undefined || address.hasPort) {
    throw refusal(`"${text}" is no host and path.`, 'host');
  }
  const hosts = [{ host: address.host, captures: NO_CAPTURES }];
  return withLiteral({ ...scope, hosts, query: conditionsOf(address.query) }, address.path, true);
}
