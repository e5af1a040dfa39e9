import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Queryable } from '../../storage/postgres/database.js';
import type { AccessToken } from './access-token.js';
import { tokenRepository } from './token-repository.js';

const MIN_INTERVAL_MS = 60_000;
const CACHE_SIZE = 10_000;

/** Writes when a token was last used, at most once a minute each and never in the way of the request. */
export interface TokenUseRecorder {
  record(token: AccessToken): void;
  /** Resolves when everything that was recorded is written. */
  settle(): Promise<void>;
}

export interface TokenUseRecorderDeps {
  readonly database: Queryable;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export function createTokenUseRecorder({ database, logger, nowMs }: TokenUseRecorderDeps): TokenUseRecorder {
  const writtenAtMs = new LRUCache<string, number>({ max: CACHE_SIZE });
  const writes = new Set<Promise<void>>();

  return {
    record(token) {
      const usedAtMs = nowMs();
      const lastMs = writtenAtMs.get(token.id) ?? token.lastUsedAt?.getTime();
      if (lastMs !== undefined && usedAtMs - lastMs < MIN_INTERVAL_MS) return;
      writtenAtMs.set(token.id, usedAtMs);
      const write = tokenRepository
        .markUsed(database, token.id, new Date(usedAtMs))
        .catch((error: unknown) => logger.warn({ err: error }, 'the use of a token could not be recorded'))
        .finally(() => writes.delete(write));
      writes.add(write);
    },
    async settle() {
      await Promise.all(writes);
    },
  };
}
