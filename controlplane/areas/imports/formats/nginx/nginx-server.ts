import { hostName } from '../host.js';
import { failed, isRefusal, skipped } from '../outcome.js';
import { NO_CAPTURES } from '../path-scope.js';
import { type RegexHost, regexHosts } from '../regex/regex-hosts.js';
import type { LineReport, Statement } from '../statements.js';
import type { Scope } from './nginx-scope.js';

/** Returns the scope of a `server` block: its names and its scheme. */
export function serverScope(statements: readonly Statement[], report: LineReport): Scope {
  const names = statements.filter(({ words }) => words[0]?.text === 'server_name');
  const hosts: RegexHost[] = [];
  for (const { words, line } of names) {
    for (const { text } of words.slice(1)) {
      const found = hostsOf(text);
      if (found === undefined) {
        report.add(line, failed(`The server name "${text}" cannot be taken. Name each host.`, 'host'));
      } else hosts.push(...found);
    }
    if (!report.has(line)) report.add(line, skipped('Names the hosts of the redirects.'));
  }
  const first = names[0]?.words[1]?.text;
  return {
    hosts: hosts.length > 0 || names.some(isRefused) ? hosts : [{ host: null, captures: NO_CAPTURES }],
    serverName: first === undefined ? undefined : hostName(first),
    scheme: schemeOf(statements),
    paths: undefined,
    query: null,
    captures: NO_CAPTURES,
    hasRawGroups: false,
    comparesQuery: false,
    isForOtherHosts: false,
    refusal: undefined,
  };
}

/** Returns whether a server has names, but none that can be taken. */
function isRefused({ words }: Statement): boolean {
  return words.slice(1).some(({ text }) => hostsOf(text) === undefined);
}

/** Returns no hosts for names that stand for any, such as `_`. */
function hostsOf(name: string): readonly RegexHost[] | undefined {
  if (name === '_' || name === '' || name === '$hostname') return [];
  if (name.startsWith('~')) {
    const hosts = regexHosts(name.slice(1));
    return isRefusal(hosts) ? undefined : hosts;
  }
  const isBoth = name.startsWith('.');
  const host = hostName(isBoth ? name.slice(1) : name);
  if (host === undefined) return undefined;
  const names = isBoth ? [host, `*.${host}`] : [host];
  return names.map((one) => ({ host: one, captures: NO_CAPTURES }));
}

function schemeOf(statements: readonly Statement[]): 'http' | 'https' | undefined {
  const listens = statements
    .filter(({ words }) => words[0]?.text === 'listen')
    .map(({ words }) => words.slice(1).map(({ text }) => text));
  if (listens.length === 0) return undefined;
  const secure = listens.map(
    ([address = '', ...options]) => options.includes('ssl') || /(?:^|:)443$/.test(address),
  );
  if (secure.every((isSecure) => isSecure)) return 'https';
  return secure.includes(true) ? undefined : 'http';
}
