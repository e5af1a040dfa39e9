import { hostName } from '../host.js';
import { failed, refusal, skipped, unlessUnread } from '../outcome.js';
import {
  ANY_HOST,
  hostsOfName,
  NO_CAPTURES,
  narrowed,
  type PathScope,
  type ScopeHost,
  scopePaths,
  within,
  withLiteral,
} from '../path-scope.js';
import { regexHosts } from '../regex/regex-hosts.js';
import { everyPath, regexPaths } from '../regex/regex-paths.js';
import { type LineReport, type Statement, textsOf } from '../statements.js';

/** Requests to which a block of nginx applies. */
export interface Scope extends PathScope {
  readonly serverName: string | undefined;
  /** Undefined if the server answers both, or the scheme is unknown. */
  readonly scheme: 'http' | 'https' | undefined;
  /** Texts of groups of a condition on the query. */
  readonly captures: ReadonlyMap<string, string>;
  /** Whether groups include the query, because `$request_uri` was compared. */
  readonly hasRawGroups: boolean;
  /** Whether a path is compared together with the query of the request. */
  readonly comparesQuery: boolean;
  /** Whether the server has no name although others in the file have one. It answers all other hosts. */
  readonly isForOtherHosts: boolean;
}

/** Scope of all requests. */
export const EVERY_REQUEST: Scope = {
  hosts: [ANY_HOST],
  serverName: undefined,
  scheme: undefined,
  paths: undefined,
  query: null,
  captures: NO_CAPTURES,
  hasRawGroups: false,
  comparesQuery: false,
  isForOtherHosts: false,
  refusal: undefined,
};

/** Names that match any host. */
const ANY_NAME = new Set(['_', '', '$hostname']);

/** Returns the scope of a `server` block: its names and its scheme. */
export function serverScope(statements: readonly Statement[], report: LineReport): Scope {
  const names = statements.filter(({ words }) => words[0]?.text === 'server_name');
  const hosts: ScopeHost[] = [];
  let hasUntaken = false;
  for (const { words, line } of names) {
    for (const { text } of words.slice(1)) {
      if (ANY_NAME.has(text)) continue;
      const found = hostsOf(text);
      hosts.push(...found);
      if (found.length > 0) continue;
      hasUntaken = true;
      report.add(line, failed(`The server name "${text}" cannot be taken. Name each host.`, 'host'));
    }
    if (!report.has(line)) report.add(line, skipped('Names the hosts of the redirects.'));
  }
  const first = names[0]?.words[1]?.text;
  return {
    ...EVERY_REQUEST,
    hosts: hosts.length > 0 || hasUntaken ? hosts : [ANY_HOST],
    serverName: first === undefined ? undefined : hostName(first),
    scheme: schemeOf(statements),
  };
}

/** Returns the hosts of a name; none for a name that cannot be imported. */
function hostsOf(name: string): readonly ScopeHost[] {
  if (!name.startsWith('~')) return hostsOfName(name);
  return unlessUnread(
    () => regexHosts(name.slice(1)),
    () => [],
  );
}

function schemeOf(statements: readonly Statement[]): 'http' | 'https' | undefined {
  const listens = statements
    .filter(({ words }) => words[0]?.text === 'listen')
    .map(({ words }) => textsOf(words.slice(1)));
  if (listens.length === 0) return undefined;
  const secure = listens.map(
    ([address = '', ...options]) => options.includes('ssl') || /(?:^|:)443$/.test(address),
  );
  if (secure.every((isSecure) => isSecure)) return 'https';
  return secure.includes(true) ? undefined : 'http';
}

export type LocationKind = 'exact' | 'first' | 'regex' | 'prefix' | 'named';

export interface Location {
  readonly kind: LocationKind;
  readonly text: string;
  readonly ignoresCase: boolean;
  readonly statement: Statement;
}

/** Reads the head of a `location` block. */
export function locationOf(statement: Statement): Location {
  const [, first, second] = statement.words;
  const modifier = second === undefined ? '' : (first?.text ?? '');
  const text = (second ?? first)?.text ?? '';
  const kinds: Readonly<Record<string, LocationKind>> = {
    '=': 'exact',
    '^~': 'first',
    '~': 'regex',
    '~*': 'regex',
  };
  const kind = kinds[modifier] ?? (text.startsWith('@') ? 'named' : 'prefix');
  return { kind, text, ignoresCase: modifier === '~*', statement };
}

/** Narrows a scope to a location. */
export function locationScope(scope: Scope, { kind, text, ignoresCase }: Location): Scope {
  if (kind === 'named') {
    return { ...scope, refusal: refusal(`The location ${text} has no path of its own. Move the redirect.`) };
  }
  if (kind === 'regex') {
    return narrowed(scope, () => within(scope, regexPaths(text, { ignoresCase })));
  }
  if (kind === 'exact') return withLiteral(scope, text, false);
  if (text === '/') return scope;
  if (text.endsWith('/')) {
    const inner = withLiteral(scope, text, false);
    return inner.refusal === undefined
      ? { ...inner, paths: scopePaths(inner).map((one) => ({ ...one, path: `${one.path}*` })) }
      : inner;
  }
  const message = `A location without "=" also matches longer names such as ${text}x. Write "location = ${text}", or "location ${text}/" for everything below.`;
  return { ...scope, beginning: text, refusal: refusal(message, 'path') };
}

/** Narrows a scope to the paths of a `rewrite`. An expression for all paths keeps the paths of the scope. */
export function rewriteScope(scope: Scope, pattern: string): Scope {
  const every = everyPath(pattern);
  if (every === undefined || scope.paths === undefined) {
    return unlessUnread(
      () => within(scope, regexPaths(pattern)),
      (end) => ({ ...scope, refusal: scope.refusal ?? end }),
    );
  }
  const paths = scope.paths.map(({ path, ending, ignoresCase = false }) => ({
    path,
    ending,
    ignoresCase,
    captures: new Map([...every.captures].map(([name, text]) => [name, text === '*' ? path.slice(1) : path])),
  }));
  return { ...scope, paths };
}
