import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../storage/postgres/database.js';
import { hashTokenSecret } from './access-token.js';
import { type KnownToken, tokenRepository } from './token-repository.js';

/** Maximum time for which another process accepts a token that was deleted here. */
const CACHE_LIFETIME_MS = 1_000;
const CACHE_SIZE = 10_000;
/** Time for which an unknown token is refused without a query. */
const UNKNOWN_LIFETIME_MS = 5_000;
/** Time for which a valid token is exempt from the limit of unknown tokens. */
const TRUSTED_LIFETIME_MS = 600_000;

/** Finds tokens by their secret. Caches them for a second, so most requests need no query. */
export type ActiveTokens = ReturnType<typeof createActiveTokens>;

/** @param nowMs a monotonic clock: a clock that is set back would prolong the life of a deleted token */
export function createActiveTokens(database: Queryable, nowMs: () => number = () => performance.now()) {
  const general = { max: CACHE_SIZE, ttlResolution: 0, perf: { now: nowMs } };
  const cache = new LRUCache<string, KnownToken>({ ...general, ttl: CACHE_LIFETIME_MS });
  const unknown = new LRUCache<string, true>({ ...general, ttl: UNKNOWN_LIFETIME_MS });
  /** Users by token. */
  const trusted = new LRUCache<string, string>({ ...general, ttl: TRUSTED_LIFETIME_MS });
  let forgotten = 0;

  return {
    /**
     * Resolves to the token; undefined when it is unknown.
     *
     * @param mayQuery called before a query. If it returns false, the result is `withheld`
     * @param onQuery called before a query for a token that was valid before, with its user
     */
    async find(
      secret: string,
      mayQuery: () => boolean = () => true,
      onQuery: (userId: string) => void = () => undefined,
    ): Promise<KnownToken | 'withheld' | undefined> {
      const hash = hashTokenSecret(secret);
      const key = hash.toString('base64');
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      if (unknown.has(key)) return undefined;
      const lastUserId = trusted.get(key);
      if (lastUserId !== undefined) onQuery(lastUserId);
      else if (!mayQuery()) return 'withheld';
      const forgottenBefore = forgotten;
      const known = await tokenRepository.findByHash(database, hash);
      if (known === undefined || !timingSafeEqual(known.token.hash, hash)) {
        unknown.set(key, true);
        trusted.delete(key);
        return undefined;
      }
      trusted.set(key, known.token.userId);
      // Do not cache a token that was deleted during the read.
      if (forgotten === forgottenBefore) cache.set(key, known);
      return known;
    },
    /** Removes a deleted token from this process's cache. */
    forget(hash: Buffer): void {
      forgotten += 1;
      cache.delete(hash.toString('base64'));
    },
    /** Empties the cache, because the state of a user changed. */
    forgetAll(): void {
      forgotten += 1;
      cache.clear();
    },
  };
}
