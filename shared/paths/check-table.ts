import { atOnce } from '../async/in-turns.js';
import { readUrl } from '../process/read-url.js';
import { normalizeHost } from '../ruleset/host-name.js';
import { significantPort } from '../ruleset/requested-url.js';
import { ConditionCosts } from './condition-costs.js';
import { coveredBy } from './covered-entries.js';
import { chain, coveredEntry, dotSegments, type PathDiagnostic } from './diagnostics.js';
import { memoryPages } from './memory-pages.js';
import { MAX_PATH_SHAPES, type PathEntry, type PathFault, type PathOptions } from './path-entry.js';
import { EXACT } from './path-key.js';
import { originOf, pathLocation } from './path-location.js';
import { matchPath, type PathPages } from './path-matcher.js';
import { codeOf } from './path-page.js';
import { readSource } from './path-source.js';
import {
  ENTRIES_PER_STEP,
  type PreparedEntry,
  type PublishedTable,
  prepareEntry,
  publishTableInSteps,
  servesHost,
} from './publish-table.js';
import type { PublishedPaths } from './published-paths.js';

/** The redirect whose table is checked. */
export interface CheckedRedirect {
  readonly host: string;
  readonly destination: string;
  readonly queryForwarding: boolean;
}

/** A table that can be served, with remarks about entries that are probably mistakes. */
export interface CheckedTable {
  readonly entries: readonly PreparedEntry[];
  readonly diagnostics: readonly PathDiagnostic[];
}

/** The fault that makes a table invalid, with the index of the entry. */
export interface TableFault extends Omit<PathFault, 'field'> {
  /** Undefined if the table as a whole is refused. */
  readonly index: number | undefined;
  readonly field: PathFault['field'] | undefined;
  readonly kind: 'invalid' | 'duplicate' | 'loop';
}

/** Maximum entries in a chain. A longer chain counts as a loop. Browsers follow 20 redirects. */
const MAX_HOPS = 20;
/** Entries followed per step. Each chain has up to 20 entries. */
const FOLLOWED_PER_STEP = 8;
/** Maximum diagnostics that are returned. */
const MAX_DIAGNOSTICS = 1_000;
/** Sample value for the path segments that parameters and `*` match. */
const SAMPLE = 'x';
/** Message for the first source beyond `MAX_PATH_SHAPES`. */
export const TOO_MANY_SHAPES = `A table can have at most ${MAX_PATH_SHAPES} different arrangements of ":name" and "*" in its sources.`;

/**
 * Checks all enabled entries of a table. Reads no other redirect.
 *
 * @returns the first fault, or the entries ready to be published
 */
export function checkTable(
  entries: readonly PathEntry[],
  options: PathOptions,
  redirect: CheckedRedirect,
): CheckedTable | TableFault {
  return atOnce(checkTableInSteps(entries, options, redirect));
}

/** Does the same in steps. A step usually takes less than a millisecond. */
export function* checkTableInSteps(
  entries: readonly PathEntry[],
  options: PathOptions,
  redirect: CheckedRedirect,
): Generator<undefined, CheckedTable | TableFault> {
  const prepared: PreparedEntry[] = [];
  const indexes = new Map<string, number>();
  const shapes = new Set<string>();
  const conditions = new ConditionCosts();
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    const one = prepareEntry(entry, options, redirect);
    if ('field' in one) return { ...one, index, kind: 'invalid' };
    const name = `${one.published.key} ${one.published.conditions}`;
    const other = indexes.get(name);
    if (other !== undefined)
      return duplicateOf(entry, index, { index: other, source: entries[other]?.source ?? '' });
    indexes.set(name, index);
    const tooMany = conditions.add(one, entry.source);
    if (tooMany !== undefined) return { index, field: 'query', kind: 'invalid', message: tooMany };
    if (one.shape !== EXACT) shapes.add(one.shape);
    if (shapes.size > MAX_PATH_SHAPES) return tooManyShapes(index);
    prepared.push(one);
  }
  return yield* followAll(entries, { prepared, indexes }, options, redirect);
}

/**
 * Returns the indexes of all entries whose destination leads into a loop of the table.
 *
 * @param prepared results of `prepareEntry`; no two have the same key and conditions
 */
export function* findLoopsInSteps(
  entries: readonly PathEntry[],
  prepared: readonly PreparedEntry[],
  options: PathOptions,
  redirect: CheckedRedirect,
): Generator<undefined, number[]> {
  const staysHere = stayingAt(redirect);
  if (!prepared.some(staysHere)) return [];
  const table = followedTable(redirect, yield* publishTableInSteps(prepared, options, 0));
  const loops: number[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % FOLLOWED_PER_STEP === 0) yield;
    const one = prepared[index];
    if (one === undefined || !staysHere(one)) continue;
    if (follow(entry, one.published.id, table) === 'loop') loops.push(index);
  }
  return loops;
}

/** Returns a predicate: whether the destination of an entry can be on the redirect's own host. */
export function stayingAt(redirect: CheckedRedirect): (entry: PreparedEntry) => boolean {
  const own = servesHost(redirect.host, normalizeHost(readUrl(redirect.destination)?.hostname ?? ''));
  return ({ published }) => (published.isRelative ? own : published.mayLoop);
}

function duplicateOf(
  { source }: PathEntry,
  index: number,
  other: { readonly index: number; readonly source: string },
): TableFault {
  const message = `${source} matches the same requests as entry ${other.index} (${other.source}). Remove one of them, or give it other query conditions.`;
  return { index, field: 'source', kind: 'duplicate', message };
}

function tooManyShapes(index: number): TableFault {
  return { index, field: 'source', kind: 'invalid', message: TOO_MANY_SHAPES };
}

/** Finds entries that never decide, and follows the destinations on the redirect's own host. */
function* followAll(
  entries: readonly PathEntry[],
  {
    prepared,
    indexes,
  }: { readonly prepared: readonly PreparedEntry[]; readonly indexes: ReadonlyMap<string, number> },
  options: PathOptions,
  redirect: CheckedRedirect,
): Generator<undefined, CheckedTable | TableFault> {
  const staysHere = stayingAt(redirect);
  // Most tables have no destination on their own host. Checking them does not require the published form.
  const table = prepared.some(staysHere)
    ? followedTable(redirect, yield* publishTableInSteps(prepared, options, 0))
    : undefined;
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const diagnostics: PathDiagnostic[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % FOLLOWED_PER_STEP === 0) yield;
    const one = prepared[index];
    const remarks: PathDiagnostic[] = [];
    const dotted = dotSegments(entry);
    if (dotted !== undefined) remarks.push(dotted);
    const covered = one && coveredBy(one, index, indexes, options.ignoreTrailingSlash);
    const hidden = covered && entries[covered.index];
    if (hidden !== undefined) remarks.push(coveredEntry(hidden, entry));
    if (one !== undefined && table !== undefined && staysHere(one)) {
      const passed = follow(entry, entry.id, table);
      if (passed === 'loop') return loopOf(entry, index);
      const next = passed === undefined ? undefined : byId.get(passed);
      if (next !== undefined) remarks.push(chain(entry, next));
    }
    if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics.push(...remarks);
  }
  return { entries: prepared, diagnostics };
}

function followedTable(redirect: CheckedRedirect, { paths, pages }: PublishedTable): FollowedTable {
  return { ...redirect, paths, pages: memoryPages(pages) };
}

/** A published table whose chains of entries are followed. */
export interface FollowedTable extends CheckedRedirect {
  readonly paths: PublishedPaths;
  readonly pages: PathPages;
}

/**
 * Returns the id of the next entry in the chain. Returns `loop` if the chain does not end, and undefined if no other
 * entry follows.
 */
function follow(entry: PathEntry, id: number, table: FollowedTable): number | 'loop' | undefined {
  let url = sampleUrl(entry, table.host);
  const base = { origin: originOf(table.destination), queryForwarding: table.queryForwarding };
  let next: number | undefined;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    if (url === undefined || !isOwn(url, table.host)) return next;
    const query = url.search.slice(1);
    const match = matchPath(table.paths, table.pages, url.pathname, () => query);
    if (match === undefined || match.template === '') return next;
    // Another entry matches the sample.
    if (hop === 0 && match.id !== id) return undefined;
    if (hop === 1) next = match.id;
    const labels = sampleLabels(table.host);
    url = readUrl(pathLocation(match.template, match.code, base, { path: url.pathname, query, labels }));
  }
  return 'loop';
}

/**
 * Returns the id of the next entry in a chain that starts at an entry. Uses a sample value for each placeholder.
 *
 * @param wanted id of the only next entry to report; undefined for any
 */
export function nextEntry(
  entry: PathEntry,
  { published }: PreparedEntry,
  table: FollowedTable,
  wanted?: number,
): number | undefined {
  const { host, destination, queryForwarding, paths, pages } = table;
  const start = sampleUrl(entry, host);
  if (start === undefined) return undefined;
  const query = start.search.slice(1);
  const request = { path: start.pathname, query, labels: sampleLabels(host) };
  const base = { origin: originOf(destination), queryForwarding };
  const url = readUrl(pathLocation(published.template, codeOf(published), base, request));
  if (url === undefined || !isOwn(url, host)) return undefined;
  const match = matchPath(paths, pages, url.pathname, () => url.search.slice(1));
  if (match === undefined || match.template === '' || (wanted ?? match.id) !== match.id) return undefined;
  const next = match.id;
  // Another entry can match the sample.
  return matchPath(paths, pages, start.pathname, () => query)?.id === entry.id ? next : undefined;
}

function isOwn(url: URL, host: string): boolean {
  return significantPort(url) === '' && servesHost(host, normalizeHost(url.hostname));
}

/** Returns a URL that the entry matches, with a sample for each placeholder. */
export function sampleUrl(entry: PathEntry, host: string): URL | undefined {
  return readUrl(`http://${sampleHost(host)}${samplePath(entry)}`);
}

/** Labels that a wildcard matches in sample URLs. */
export function sampleLabels(host: string): string {
  return host.startsWith('*.') ? SAMPLE : '';
}

function sampleHost(host: string): string {
  return host.startsWith('*.') ? SAMPLE + host.slice(1) : host;
}

/** A path and query that the entry matches. */
function samplePath({ source, query }: PathEntry): string {
  const read = readSource(source);
  if ('field' in read) return source;
  const names = new Set(read.params.values());
  const segments = read.segments.map((segment, index) => (names.has(index) ? SAMPLE : segment));
  if (read.isPrefix) segments.push(SAMPLE);
  const params = new URLSearchParams();
  for (const [name, wanted] of Object.entries(query ?? {})) {
    if (wanted !== false) params.append(name, wanted === true ? '' : wanted);
  }
  const asked = params.toString();
  return `/${segments.join('/')}${asked === '' ? '' : `?${asked}`}`;
}

function loopOf({ source }: PathEntry, index: number): TableFault {
  const message = `The destination of ${source} leads back to it through this table. Choose one outside this loop.`;
  return { index, field: 'source', kind: 'loop', message };
}
