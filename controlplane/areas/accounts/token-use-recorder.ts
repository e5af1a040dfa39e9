import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Queryable } from '../../storage/postgres/database.js';
import type { AccessToken } from './access-token.js';
import { tokenRepository } from './token-repository.js';

const MIN_INTERVAL_MS = 60_000;
const CACHE_SIZE = 10_000;

/** Stores the last use of tokens, at most once a minute each, without delaying requests. */
export type TokenUseRecorder = ReturnType<typeof createTokenUseRecorder>;

export interface TokenUseRecorderDeps {
  readonly database: Queryable;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export function createTokenUseRecorder({ database, logger, nowMs }: TokenUseRecorderDeps) {
  const writtenAtMs = new LRUCache<string, number>({ max: CACHE_SIZE });
  const writes = new Set<Promise<void>>();

  return {
    record(token: AccessToken): void {
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
    /** Resolves when all recorded uses are stored. */
    async settle(): Promise<void> {
      await Promise.all(writes);
    },
  };
}
