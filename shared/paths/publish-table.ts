import { atOnce } from '../async/in-turns.js';
import { PATH_STATUS_CODES, type PathEntry, type PathFault, type PathOptions } from './path-entry.js';
import { compareShapes, EXACT, hashKey, keyOf, type PathShape, shapeOf } from './path-key.js';
import { encodePage, type PathPage, type PublishedEntry, pageBitsFor, pageOf } from './path-page.js';
import { readSource } from './path-source.js';
import { readTemplate } from './path-template.js';
import type { PublishedPaths } from './published-paths.js';
import { conditionFault, endingMark, packConditions, withEndingMark } from './query-conditions.js';

/** The redirect that a table belongs to. */
export interface PathOwner {
  /** Host as in `RedirectDefinition.host`. */
  readonly host: string;
}

/** A valid entry in the forms that look-ups need. */
export interface PreparedEntry {
  readonly published: PublishedEntry;
  readonly shape: PathShape;
  /** Host of the destination; undefined for a path on the redirect's destination, and for 410. */
  readonly destinationHost: string | undefined;
}

/** Prepares an entry for publishing, or returns the reason for refusing it. */
export function prepareEntry(
  entry: PathEntry,
  options: PathOptions,
  { host }: PathOwner,
): PreparedEntry | PathFault {
  const source = readSource(entry.source);
  if ('field' in source) return source;
  if (!PATH_STATUS_CODES.includes(entry.statusCode)) {
    return { field: 'statusCode', message: `statusCode must be one of ${PATH_STATUS_CODES.join(', ')}.` };
  }
  const ending = entry.pathEnding ?? 'inherit';
  if (ending === 'below' && !source.isPrefix) {
    return {
      field: 'pathEnding',
      message: 'pathEnding "below" needs a source that ends in "/*". Accepted here: "inherit" and "exact".',
    };
  }
  const conditions = conditionFault(entry.query);
  if (conditions !== undefined) return conditions;
  const template = templateOf(entry, source, host.startsWith('*.'));
  if ('field' in template) return template;
  return {
    published: {
      id: entry.id,
      key: keyOf(source, options),
      conditions: withEndingMark(
        endingMark(ending, source, options.ignoreTrailingSlash),
        packConditions(entry.query),
      ),
      statusCode: entry.statusCode,
      queryForwarding: entry.queryForwarding,
      isRelative: template.isRelative,
      isFilled: template.isFilled,
      mayLoop: template.host !== undefined && servesHost(host, template.host),
      template: template.text,
    },
    shape: shapeOf(source, options),
    destinationHost: template.host,
  };
}

const NO_TEMPLATE = { text: '', isRelative: false, isFilled: false, host: undefined } as const;

function templateOf(
  { destination, statusCode }: PathEntry,
  source: Exclude<ReturnType<typeof readSource>, PathFault>,
  isWildcard: boolean,
): ReturnType<typeof readTemplate> {
  if (statusCode === 410) {
    if (destination === null) return NO_TEMPLATE;
    return { field: 'destination', message: 'destination must be null when statusCode is 410.' };
  }
  if (destination === null) {
    return {
      field: 'destination',
      message: 'destination must be a URL or a path, unless statusCode is 410.',
    };
  }
  return readTemplate(destination, source, isWildcard);
}

/** Returns whether a redirect for `host` (possibly a wildcard) answers requests for `name`. */
export function servesHost(host: string, name: string): boolean {
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host;
}

/** Entries per step. They take less than a millisecond. */
export const ENTRIES_PER_STEP = 64;

/** The published form of a table. */
export interface PublishedTable {
  readonly paths: PublishedPaths;
  /** All pages, by number. A page without entries is empty. */
  readonly pages: readonly PathPage[];
}

/** Returns the head of a table with these shapes and this number of entries. */
export function publishedPaths(
  options: PathOptions,
  salt: number,
  shapes: Iterable<PathShape>,
  entries: number,
): PublishedPaths {
  const sorted = [...new Set(shapes)].filter((shape) => shape !== EXACT).sort(compareShapes);
  const pageBits = pageBitsFor(entries);
  return {
    salt,
    ...(pageBits > 0 && { pageBits }),
    ...(sorted.length > 0 && { shapes: sorted }),
    ...(options.ignoreCase && { ignoreCase: true }),
    ...(!options.ignoreTrailingSlash && { strictSlash: true }),
    ...(options.unmatched !== 'destination' && { unmatched: options.unmatched }),
  };
}

/** Writes a whole table. No two `entries` have the same key and conditions. */
export function publishTable(
  entries: readonly PreparedEntry[],
  options: PathOptions,
  salt: number,
): PublishedTable {
  return atOnce(publishTableInSteps(entries, options, salt));
}

/** Does the same in steps of less than a millisecond, usually. */
export function* publishTableInSteps(
  entries: readonly PreparedEntry[],
  options: PathOptions,
  salt: number,
): Generator<undefined, PublishedTable> {
  const shapes = entries.map(({ shape }) => shape);
  const paths = publishedPaths(options, salt, shapes, entries.length);
  const pageBits = paths.pageBits ?? 0;
  const byPage: PublishedEntry[][] = Array.from({ length: 2 ** pageBits }, () => []);
  for (const [index, { published }] of entries.entries()) {
    if (index % ENTRIES_PER_STEP === 0) yield;
    byPage[pageOf(hashKey(published.key, salt), pageBits)]?.push(published);
  }
  const pages: PathPage[] = [];
  for (const page of byPage) {
    pages.push(page.length === 0 ? '' : encodePage(page, salt));
    yield;
  }
  return { paths, pages };
}
