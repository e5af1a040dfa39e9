import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../storage/postgres/database.js';
import { createGatheredReads } from '../../storage/postgres/gathered-reads.js';
import type { Redirect } from './redirect.js';
import type { RedirectList, RedirectRepository } from './redirect-repository.js';

/** About 30 MB, with the answers that are made of them. */
const MAX_REMEMBERED_REDIRECTS = 20_000;
/** Some 3 MB. Longer lists are streamed. */
export const MAX_LISTED_REDIRECTS = 2_000;
const LIFETIME_MS = 60_000;
const MAX_VERSION_READS_AT_ONCE = 2;
const MAX_USERS_PER_READ = 100;

/**
 * The redirects of a user as they are now, newest first: the same array again for as long as the database says that
 * nothing has changed. To ask for that takes a fraction of what reading them does, and is done for many callers
 * with one statement; it is done for every call, so that nobody sees less than what was committed before.
 *
 * @returns undefined for a list that is too long to be held in memory
 */
export type ListRedirects = (userId: string) => Promise<readonly Redirect[] | undefined>;

export interface ListedRedirectsDeps {
  readonly database: Queryable;
  readonly repository: Pick<RedirectRepository, 'listOfUser' | 'listVersions'>;
  /** Redirects of all lists that are remembered. */
  readonly maxRemembered?: number;
  /** Longer lists are not read. */
  readonly maxListed?: number;
}

export function createListedRedirects(deps: ListedRedirectsDeps): ListRedirects {
  const { database, repository, maxRemembered = MAX_REMEMBERED_REDIRECTS } = deps;
  const { maxListed = MAX_LISTED_REDIRECTS } = deps;
  const lists = new LRUCache<string, RedirectList>({
    maxSize: maxRemembered,
    sizeCalculation: ({ redirects }) => redirects.length + 1,
    ttl: LIFETIME_MS,
  });
  const versions = createGatheredReads((userIds) => repository.listVersions(database, userIds, maxListed), {
    maxReadsAtOnce: MAX_VERSION_READS_AT_ONCE,
    maxKeysPerRead: MAX_USERS_PER_READ,
  });

  return async (userId) => {
    const current = await versions.read(userId);
    if ((current?.length ?? 0) > maxListed) return undefined;
    const known = lists.get(userId);
    if (known !== undefined && current?.version === known.version) return known.redirects;
    const read = await repository.listOfUser(database, userId);
    // An older list than one that was remembered meanwhile does no harm: its version is found to be another one.
    lists.set(userId, read);
    return read.redirects;
  };
}
