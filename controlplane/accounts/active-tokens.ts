import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../database/database.js';
import { type AccessToken, hashTokenSecret } from './access-token.js';
import { tokenRepository } from './token-repository.js';

/** How long another process may go on taking a token that was deleted here. */
const CACHE_LIFETIME_MS = 1_000;
const CACHE_SIZE = 10_000;

export interface KnownToken {
  readonly token: AccessToken;
  readonly email: string | null;
}

/** Tokens by their secret, remembered for a second so that most requests need no query. */
export interface ActiveTokens {
  find(secret: string): Promise<KnownToken | undefined>;
  /** Makes a deleted token unknown to this process at once. */
  forget(hash: Buffer): void;
}

/** @param nowMs by a clock that nobody sets back, which would prolong a deleted token's life */
export function createActiveTokens(
  database: Queryable,
  nowMs: () => number = () => performance.now(),
): ActiveTokens {
  const cache = new LRUCache<string, KnownToken>({
    max: CACHE_SIZE,
    ttl: CACHE_LIFETIME_MS,
    ttlResolution: 0,
    perf: { now: nowMs },
  });
  let forgotten = 0;

  return {
    async find(secret) {
      const hash = hashTokenSecret(secret);
      const key = hash.toString('base64');
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const forgottenBefore = forgotten;
      const known = await tokenRepository.findByHash(database, hash);
      if (known === undefined || !timingSafeEqual(known.token.hash, hash)) return undefined;
      // A token deleted while it was being read must not come back for the cache's lifetime.
      if (forgotten === forgottenBefore) cache.set(key, known);
      return known;
    },
    forget(hash) {
      forgotten += 1;
      cache.delete(hash.toString('base64'));
    },
  };
}
