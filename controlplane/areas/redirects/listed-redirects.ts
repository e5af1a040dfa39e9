import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../storage/postgres/database.js';
import { createGatheredReads } from '../../storage/postgres/gathered-reads.js';
import type { Redirect } from './redirect.js';
import { type RedirectList, redirectRepository } from './redirect-repository.js';

/** Maximum number of redirects in all cached lists: about 30 MB including their answers. */
const MAX_REMEMBERED_REDIRECTS = 20_000;
/** Maximum length of a cached list, about 3 MB. Longer lists are streamed. */
export const MAX_LISTED_REDIRECTS = 2_000;
const LIFETIME_MS = 60_000;
const MAX_VERSION_READS_AT_ONCE = 2;
const MAX_USERS_PER_READ = 100;

/**
 * Returns the current redirects of a user, newest first. It returns the same array until the database reports a change.
 * Every call reads the version from the database, so a caller sees all earlier commits. Concurrent calls share this
 * cheap statement.
 *
 * @returns undefined for a list that is too long for memory
 */
export type ListRedirects = (userId: string) => Promise<readonly Redirect[] | undefined>;

export interface ListedRedirectsDeps {
  readonly database: Queryable;
  /** Maximum number of redirects in all cached lists. */
  readonly maxRemembered?: number;
  /** Maximum length of a list. */
  readonly maxListed?: number;
}

export function createListedRedirects(deps: ListedRedirectsDeps): ListRedirects {
  const { database, maxRemembered = MAX_REMEMBERED_REDIRECTS } = deps;
  const { maxListed = MAX_LISTED_REDIRECTS } = deps;
  const lists = new LRUCache<string, RedirectList>({
    maxSize: maxRemembered,
    sizeCalculation: ({ redirects }) => redirects.length + 1,
    ttl: LIFETIME_MS,
  });
  const versions = createGatheredReads(
    (userIds) => redirectRepository.listVersions(database, userIds, maxListed),
    {
      maxReadsAtOnce: MAX_VERSION_READS_AT_ONCE,
      maxKeysPerRead: MAX_USERS_PER_READ,
    },
  );

  return async (userId) => {
    const current = await versions.read(userId);
    if ((current?.length ?? 0) > maxListed) return undefined;
    const known = lists.get(userId);
    if (known !== undefined && current?.version === known.version) return known.redirects;
    const read = await redirectRepository.listOfUser(database, userId);
    // An older list may replace a newer one here. The next call finds that its version differs.
    lists.set(userId, read);
    return read.redirects;
  };
}
