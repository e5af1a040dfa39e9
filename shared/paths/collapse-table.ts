import { readUrl } from '../process/read-url.js';
import { normalizeHost } from '../ruleset/host-name.js';
import { significantPort } from '../ruleset/requested-url.js';
import type { CheckedRedirect } from './check-table.js';
import type { PathDiagnostic } from './diagnostics.js';
import { memoryPages } from './memory-pages.js';
import {
  MAX_DESTINATION_LENGTH,
  type PathEntry,
  type PathOptions,
  type PathStatusCode,
} from './path-entry.js';
import { originOf, pathLocation } from './path-location.js';
import { matchPath, type PathPages } from './path-matcher.js';
import { codeOf, forwardsQueryIn, isRelativeIn, statusIn } from './path-page.js';
import { TEMPLATE } from './path-template.js';
import { type PreparedEntry, prepareEntry, publishTableInSteps } from './publish-table.js';
import type { PublishedPaths } from './published-paths.js';

/** Maximum entries that are collapsed into one. Browsers follow 20 redirects. */
const MAX_HOPS = 20;
const ENTRIES_PER_STEP = 16;
/** Maximum diagnostics that are returned. */
const MAX_DIAGNOSTICS = 1_000;
const PERMANENT: ReadonlySet<number> = new Set([301, 308]);
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
const QUERY_PLACEHOLDER = TEMPLATE.query;
const PLACEHOLDER = /~[:*?@]/;

/** The members of an entry that a collapse changes. */
export type CollapsedEntry = Pick<PathEntry, 'destination' | 'statusCode' | 'queryForwarding'>;

export interface CollapsedTable {
  /** New members by the index of the entry. */
  readonly changes: ReadonlyMap<number, CollapsedEntry>;
  readonly diagnostics: readonly PathDiagnostic[];
}

/** The redirect whose table is collapsed. */
export interface CollapsedRedirect extends CheckedRedirect {
  /** Whether visitors over HTTPS get the redirect too. */
  readonly servesHttps: boolean;
  /** Returns whether an entry may be changed. Default: all may. */
  readonly mayCollapse?: (id: number) => boolean;
}

interface Table extends CollapsedRedirect {
  readonly options: PathOptions;
  readonly paths: PublishedPaths;
  readonly pages: PathPages;
  readonly origin: string;
}

/** The chain of entries that a visitor without a query follows. */
interface Way {
  readonly location: string;
  /** Whether the location begins with the origin of the redirect's destination because the last entry has a path. */
  readonly isRelative: boolean;
  /** Whether the visitor's query is appended. */
  readonly forwardsQuery: boolean;
  readonly statusCode: PathStatusCode;
  /** Whether all entries in the chain inherit query forwarding from the redirect. */
  readonly inherits: boolean;
  /** Id of the last entry that was passed; undefined before the second one. */
  readonly last: number | undefined;
}

/**
 * Finds the entries whose destination is another entry of the table, and replaces it with the end of the chain. Does so
 * only if the end is the same for every visitor: the destination has no placeholders, no entry with query conditions
 * can match in the chain, and no value of the visitor's query is inserted. Other entries stay unchanged.
 *
 * The new status is permanent if all entries in the chain are permanent. It keeps the method if all of them do.
 *
 * The caller ensures that no other part of the redirect affects the answer: no rules, no appended query, no wildcard.
 *
 * @param entries valid ones, in the order of `prepared`
 */
export function* collapseInSteps(
  entries: readonly PathEntry[],
  prepared: readonly PreparedEntry[],
  options: PathOptions,
  redirect: CollapsedRedirect,
): Generator<undefined, CollapsedTable> {
  const changes = new Map<number, CollapsedEntry>();
  const diagnostics: PathDiagnostic[] = [];
  if (!prepared.some(({ published }) => published.mayLoop)) return { changes, diagnostics };
  const { paths, pages } = yield* publishTableInSteps(prepared, options, 0);
  const table = {
    ...redirect,
    options,
    paths,
    pages: memoryPages(pages),
    origin: originOf(redirect.destination),
  };
  const sources = new Map(entries.map(({ id, source }) => [id, source]));
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const one = prepared[index];
    if (one === undefined || !one.published.mayLoop || redirect.mayCollapse?.(entry.id) === false) continue;
    const way = follow(one, table);
    const change = way && changeOf(entry, way, table);
    if (way === undefined || change === undefined) continue;
    changes.set(index, change);
    if (diagnostics.length < MAX_DIAGNOSTICS) {
      diagnostics.push(collapsed(entry, change, sources.get(way.last ?? 0) ?? ''));
    }
  }
  return { changes, diagnostics };
}

/** Returns the end of the chain as far as it is certain. Returns undefined if no next entry is certain. */
function follow({ published }: PreparedEntry, table: Table): Way | undefined {
  if (PLACEHOLDER.test(published.template)) return undefined;
  const code = codeOf(published);
  const base = { origin: table.origin, queryForwarding: table.queryForwarding };
  let way: Way = {
    location: pathLocation(published.template, code, base, { path: '/', query: '', labels: '' }),
    isRelative: isRelativeIn(code),
    forwardsQuery: forwardsQueryIn(code, table.queryForwarding),
    inherits: inheritsIn(code),
    statusCode: statusIn(code),
    last: undefined,
  };
  const passed = new Set([published.id]);
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const next = nextOf(way, table);
    if (next?.last === undefined || passed.has(next.last)) break;
    if (next.location.length > MAX_DESTINATION_LENGTH) break;
    passed.add(next.last);
    way = next;
  }
  return way.last === undefined ? undefined : way;
}

/** Follows one more entry. Returns undefined if the chain ends, or continues differently for some visitors. */
function nextOf(way: Way, table: Table): Way | undefined {
  const url = ownUrl(way.location, table);
  if (url === undefined) return undefined;
  const query = url.search.slice(1);
  let dependsOnQuery = false;
  const match = matchPath(table.paths, table.pages, url.pathname, () => {
    dependsOnQuery = true;
    return query;
  });
  if (match === undefined || dependsOnQuery || match.template === '') return undefined;
  const { id, template, code } = match;
  if (way.forwardsQuery && template.includes(QUERY_PLACEHOLDER)) return undefined;
  const base = { origin: table.origin, queryForwarding: table.queryForwarding };
  return {
    location: pathLocation(template, code, base, { path: url.pathname, query, labels: '' }),
    isRelative: isRelativeIn(code),
    forwardsQuery: way.forwardsQuery && forwardsQueryIn(code, table.queryForwarding),
    inherits: way.inherits && inheritsIn(code),
    statusCode: bothOf(way.statusCode, statusIn(code)),
    last: id,
  };
}

/** Returns the location as a URL if this redirect certainly answers it, otherwise undefined. */
function ownUrl(location: string, { host, servesHttps }: Table): URL | undefined {
  // Browsers keep a fragment through redirects, to the end of the chain.
  if (location.includes('#')) return undefined;
  const url = readUrl(location);
  if (url === undefined || significantPort(url) !== '' || normalizeHost(url.hostname) !== host)
    return undefined;
  return url.protocol === 'http:' || servesHttps ? url : undefined;
}

function inheritsIn(code: number): boolean {
  return forwardsQueryIn(code, true) !== forwardsQueryIn(code, false);
}

function bothOf(first: PathStatusCode, second: PathStatusCode): PathStatusCode {
  const isPermanent = PERMANENT.has(first) && PERMANENT.has(second);
  const keepsMethod = KEEPS_METHOD.has(first) && KEEPS_METHOD.has(second);
  if (keepsMethod) return isPermanent ? 308 : 307;
  return isPermanent ? 301 : 302;
}

/** Returns the new members of an entry; undefined if they would not lead to the same location. */
function changeOf(entry: PathEntry, way: Way, table: Table): CollapsedEntry | undefined {
  const { location, isRelative, statusCode, forwardsQuery, inherits } = way;
  const destination = isRelative ? location.slice(table.origin.length) : location;
  const queryForwarding = inherits ? 'inherit' : forwardsQuery;
  const change: CollapsedEntry = { destination, statusCode, queryForwarding };
  const prepared = prepareEntry({ ...entry, ...change }, table.options, table);
  // Some characters of a location would be a placeholder in a destination.
  if ('field' in prepared || PLACEHOLDER.test(prepared.published.template)) return undefined;
  const base = { origin: table.origin, queryForwarding: false };
  const { published } = prepared;
  const request = { path: '/', query: '', labels: '' };
  return pathLocation(published.template, codeOf(published), base, request) === location ? change : undefined;
}

function collapsed({ source }: PathEntry, { destination }: CollapsedEntry, other: string): PathDiagnostic {
  const message = `${source} led to ${other}. It now leads to ${destination ?? ''} at once.`;
  return { kind: 'collapsed', source, other, message };
}
