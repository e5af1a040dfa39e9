import { readAddress } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { OrderedPaths } from '../ordered-paths.js';
import { failed, readings, refusal, skipped } from '../outcome.js';
import { ANY_HOST, NO_CAPTURES, type ScopeHost } from '../path-scope.js';
import { type LineReport, type Statement, textsOf, tooMany, wholeFormat } from '../statements.js';
import {
  type CaddyScope,
  isMatcher,
  type NamedMatchers,
  namedMatchers,
  withMatcher,
} from './caddy-matchers.js';
import { readGone, readRedir } from './caddy-redir.js';
import { readCaddy } from './read-caddy.js';

/** Format of Caddyfiles: `redir` with the sites, matchers and `handle` blocks around it. */
export const caddy: ImportFormat = wholeFormat('caddy', (lines, report) => {
  const statements = readCaddy(lines, report);
  const isSite = ({ words, block }: Statement) =>
    block !== undefined && words.length > 0 && isAddress(words[0]?.text);
  // A file without blocks of sites is one site; its first line has the addresses.
  const single = statements.findIndex(({ block }) => block === undefined);
  for (const statement of statements) {
    const { words, block = [], line } = statement;
    if (isSite(statement)) readSite(textsOf(words), block, line, report);
    else if (words[0]?.text.startsWith('(')) refuseIn(block, NO_SITE, report);
  }
  const loose = statements.filter((one) => !isSite(one) && !one.words[0]?.text.startsWith('('));
  const first = (single === -1 ? undefined : statements[single]) ?? loose[0];
  if (first === undefined) return;
  const hasAddresses = isAddress(first.words[0]?.text);
  const addresses = hasAddresses ? textsOf(first.words) : [];
  readSite(addresses, hasAddresses ? loose.filter((one) => one !== first) : loose, first.line, report);
});

const DIRECTIVES =
  /^(?:redir|handle|handle_path|route|respond|rewrite|reverse_proxy|root|file_server|header|encode|log|tls|import|uri|php_fastcgi|basicauth|basic_auth|templates|try_files|error|@.*|\(.*)$/;

function isAddress(word: string | undefined): boolean {
  return word !== undefined && !DIRECTIVES.test(word);
}

const NO_SITE = 'Redirects in a snippet have no site. Move the line into each site.';

function refuseIn(block: readonly Statement[], message: string, report: LineReport): void {
  for (const { words, line, block: inner } of block) {
    if (words[0]?.text === 'redir') report.add(line, failed(message));
    if (inner !== undefined) refuseIn(inner, message, report);
  }
}

function readSite(
  addresses: readonly string[],
  block: readonly Statement[],
  line: number,
  report: LineReport,
): void {
  const hosts: ScopeHost[] = [];
  const schemes = new Set<'http' | 'https'>();
  let isRefused = false;
  for (const address of addresses.map((text) => text.replace(/,$/, '')).filter((text) => text !== '')) {
    const found = readSiteAddress(address);
    if (found === undefined) {
      isRefused = true;
      report.add(
        line,
        failed(`The address "${address.slice(0, 100)}" cannot be taken. Write a host.`, 'host'),
      );
    } else {
      schemes.add(found.scheme);
      if (found.host.host !== null) hosts.push(found.host);
    }
  }
  if (!report.has(line) && addresses.length > 0)
    report.add(line, skipped('Names the hosts of the redirects.'));
  const [scheme] = schemes.size === 1 ? schemes : [];
  const scope: CaddyScope = {
    hosts: hosts.length > 0 ? hosts : [ANY_HOST],
    paths: undefined,
    query: null,
    scheme,
    stripped: '',
    refusal:
      isRefused && hosts.length === 0
        ? refusal('No address of the site can be taken. Write a host.', 'host')
        : undefined,
  };
  readBlock(block, scope, new Map(), { report, order: undefined });
}

function readSiteAddress(text: string): { host: ScopeHost; scheme: 'http' | 'https' } | undefined {
  const isPort = /^(?:https?:\/\/)?:\d+$|^https?:\/\/$/.test(text);
  const scheme = /^http:\/\//i.test(text) || /:80$/.test(text) ? 'http' : 'https';
  if (isPort) return { host: ANY_HOST, scheme };
  const address = readAddress(text);
  if (address === undefined || address.path !== '/') return undefined;
  return { host: { host: address.host, captures: NO_CAPTURES }, scheme };
}

interface BlockContext {
  readonly report: LineReport;
  /** Set within `route`, which keeps the order of its directives. */
  readonly order: OrderedPaths | undefined;
}

const BLOCKS = new Set(['handle', 'handle_path', 'route']);

function readBlock(
  block: readonly Statement[],
  scope: CaddyScope,
  outer: NamedMatchers,
  context: BlockContext,
): void {
  const named = namedMatchers(block, outer);
  for (const statement of block) {
    const [name = '', ...args] = textsOf(statement.words);
    if (name === 'redir' || name === 'respond') {
      const read = name === 'redir' ? readRedir : readGone;
      const outcomes = context.report.isFull ? [tooMany()] : readings(() => read(args, scope, named));
      for (const outcome of outcomes) {
        context.report.add(statement.line, context.order?.place(outcome, statement.line) ?? outcome);
      }
    } else if (BLOCKS.has(name) && statement.block !== undefined) {
      const [matcher] = args;
      const matched =
        matcher !== undefined && isMatcher(matcher) ? withMatcher(scope, matcher, named) : scope;
      const inner =
        name === 'handle_path' && matcher?.endsWith('/*') === true ? strip(matched, matcher) : matched;
      const order = name === 'route' ? new OrderedPaths() : context.order;
      readBlock(statement.block, inner, named, { ...context, order });
    } else if (statement.block !== undefined) {
      const message = `Redirects within "${name}" cannot be kept. Move the line into the site.`;
      refuseIn(statement.block, message, context.report);
    }
  }
}

function strip(scope: CaddyScope, matcher: string): CaddyScope {
  return { ...scope, stripped: scope.stripped + matcher.slice(0, -2) };
}
