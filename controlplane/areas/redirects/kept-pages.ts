import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../storage/postgres/database.js';
import { createGatheredReads } from '../../storage/postgres/gathered-reads.js';
import { type PageRange, type PlainPage, redirectSearch } from './redirect-search.js';

/** Some 30 MB, with what is made of them. */
const MAX_REMEMBERED_REDIRECTS = 20_000;
/** A restored database may use the same versions again. */
const LIFETIME_MS = 60_000;
const MAX_READS_AT_ONCE = 4;

/**
 * Reads a page of the live redirects of a user: the same object again while the database says that nothing in it has
 * changed. It is asked for every call, so that nobody sees less than what was committed before. Callers who ask for the
 * same page meanwhile share the next question.
 */
export type ReadKeptPage = (userId: string, range: PageRange) => Promise<PlainPage>;

export function createKeptPages(database: Queryable): ReadKeptPage {
  const pages = new LRUCache<string, PlainPage>({
    maxSize: MAX_REMEMBERED_REDIRECTS,
    sizeCalculation: ({ redirects }) => redirects.length + 1,
    ttl: LIFETIME_MS,
  });
  /** Reads something of a page. Callers share what begins after their call. */
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
