import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../storage/postgres/database.js';
import { createGatheredReads } from '../../storage/postgres/gathered-reads.js';
import { type PageRange, type PlainPage, redirectSearch } from './redirect-search.js';

/** Maximum number of redirects in all cached pages: about 30 MB including their answers. */
const MAX_REMEMBERED_REDIRECTS = 20_000;
/** Maximum age of a cached page. A restored database may use the same versions again. */
const LIFETIME_MS = 60_000;
const MAX_READS_AT_ONCE = 4;

/**
 * Reads a page of the live redirects of a user. Returns the same object as long as the database reports no change of
 * it. Every call queries the database, so a caller sees all earlier commits. Concurrent calls for one page share a
 * query.
 */
export type ReadKeptPage = (userId: string, range: PageRange) => Promise<PlainPage>;

export function createKeptPages(database: Queryable): ReadKeptPage {
  const pages = new LRUCache<string, PlainPage>({
    maxSize: MAX_REMEMBERED_REDIRECTS,
    sizeCalculation: ({ redirects }) => redirects.length + 1,
    ttl: LIFETIME_MS,
  });
  /** Shares reads of pages: a call joins the next read of its page, never one that has begun. */
  const gathered = <Value>(readOne: (userId: string, range: PageRange) => Promise<Value>) => {
    const reads = createGatheredReads(
      async (keys) => {
        const read = keys.map(async (key): Promise<[string, Value]> => {
          const [userId, range] = JSON.parse(key) as [string, PageRange];
          return [key, await readOne(userId, range)];
        });
        return new Map(await Promise.all(read));
      },
      { maxReadsAtOnce: MAX_READS_AT_ONCE, maxKeysPerRead: 1 },
    );
    return reads.read;
  };
  const readVersion = gathered((userId, range) => redirectSearch.plainVersion(database, userId, range));
  const readPage = gathered((userId, range) => redirectSearch.plainPage(database, userId, range));

  return async (userId, range) => {
    const key = JSON.stringify([userId, range]);
    const known = pages.get(key);
    if (known !== undefined && (await readVersion(key)) === known.version) return known;
    const page = await readPage(key);
    if (page === undefined) throw new Error('a page was not read');
    pages.set(key, page);
    return page;
  };
}
