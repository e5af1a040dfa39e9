import { DEFAULT_PATH_OPTIONS, type PathEntry } from '../../shared/paths/path-entry.js';
import { type PreparedEntry, prepareEntry, publishTable } from '../../shared/paths/publish-table.js';
import { type PublishedPage, type PublishedPaths, pageKey } from '../../shared/paths/published-paths.js';
import { type BenchRequest, benchRedirect, shuffled } from './bench-request.js';

/** One entry in this many is a prefix; visitors request a path below it. */
const PREFIX_EVERY = 50;
const SALT = 0x9e3779b9;

/** The table of one host, with the pages that it travels in. */
export function benchTable(
  hostIndex: number,
  pathCount: number,
): { readonly paths: PublishedPaths; readonly pages: readonly PublishedPage[] } {
  const { id, host } = benchRedirect(hostIndex);
  const entries = Array.from({ length: pathCount }, (_, path): PreparedEntry => {
    const prepared = prepareEntry(entryOf(hostIndex, path), DEFAULT_PATH_OPTIONS, { host });
    if ('field' in prepared) throw new Error(prepared.message);
    return prepared;
  });
  const { paths, pages } = publishTable(entries, DEFAULT_PATH_OPTIONS, SALT);
  const published = pages.map((page, number) => ({ host: pageKey(id, number), page }));
  return { paths, pages: published.filter(({ page }) => page !== '') };
}

function entryOf(hostIndex: number, path: number): PathEntry {
  const isPrefix = path % PREFIX_EVERY === 0;
  const source = `/shop/category-${path % 97}/product-${path}`;
  const destination = `https://www.shop-${hostIndex}.example/products/${path}`;
  return {
    id: path + 1,
    source: isPrefix ? `${source}/*` : source,
    query: null,
    destination: isPrefix ? `${destination}/*` : destination,
    statusCode: 301,
    queryForwarding: 'inherit',
  };
}

/** Requests for all paths of all hosts, or for some of them evenly, in scattered order. */
export function pathRequests(hostCount: number, pathsPerHost: number, most: number): BenchRequest[] {
  const all = hostCount * pathsPerHost;
  const count = Math.min(all, most);
  return shuffled(
    Array.from({ length: count }, (_, request) => {
      const number = Math.floor((request * all) / count);
      return requestFor(number % hostCount, Math.floor(number / hostCount));
    }),
  );
}

function requestFor(hostIndex: number, path: number): BenchRequest {
  const { host, destination } = benchRedirect(hostIndex);
  const query = `?utm_source=newsletter&utm_campaign=spring&id=${path}`;
  const below = path % PREFIX_EVERY === 0 ? '/reviews/latest' : '';
  const target = `/shop/category-${path % 97}/product-${path}${below}${query}`;
  const location = `https://www.shop-${hostIndex}.example/products/${path}${below}${query}`;
  return { host, destination, target, locations: [location] };
}
