import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { DEFAULT_KEY_PREFIX } from '../../shared/ruleset/redis-keys.js';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';

/** From the first request of a caller on, that long are requests counted together. */
export const WINDOW_SECONDS = 60;
/** A Redis that takes longer is done without, until it can be connected to again. */
const PATIENCE_MS = 500;
/** The store counts; what is too much is decided by whoever asks it. */
const WINDOW = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

/** Counts requests by key, each key in windows of its own. */
export interface RateLimitStore {
  /** Counts one more. Resolves to the window with it. */
  consume(key: string): Promise<RateLimiterRes>;
  /** Resolves to the window as it is; `null` while there is none. */
  get(key: string): Promise<RateLimiterRes | null>;
  close(): void;
}

/** Counts for this process alone. */
export function createLocalRateLimitStore(): RateLimitStore {
  const counter = new RateLimiterMemory(WINDOW);
  return { consume: (key) => counter.consume(key), get: (key) => counter.get(key), close: () => undefined };
}

/**
 * Counts for all processes that share a Redis server. While it is away each counts for itself, from nothing: no
 * request fails or waits because of it, but for those that find out that it has fallen silent (500 ms).
 */
export function openSharedRateLimitStore(url: string, logger: Logger): RateLimitStore {
  const redis = connect(url, logger);
  const counter = new RateLimiterRedis({
    ...WINDOW,
    storeClient: redis,
    keyPrefix: `${DEFAULT_KEY_PREFIX}:requests`,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(WINDOW),
  });
  return {
    consume: (key) => counter.consume(key),
    get: (key) => counter.get(key),
    close: () => redis.disconnect(),
  };
}

/** A connection of its own, since that of the publisher may be busy with a ruleset for as long as that takes. */
function connect(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    ...redisOptions(),
    commandTimeout: PATIENCE_MS,
    // Ends a connection that has fallen silent: from then on nobody waits for it.
    socketTimeout: PATIENCE_MS,
    connectionName: 'waymark-rate-limits',
  });
  let isAway = false;
  redis.on('error', (error: unknown) => {
    if (isAway) return;
    isAway = true;
    logger.warn({ problem: describeRedisError(error) }, 'rate limits are counted without Redis');
  });
  redis.on('ready', () => {
    isAway = false;
    logger.info('rate limits are counted in Redis');
  });
  return redis;
}
