import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { DEFAULT_KEY_PREFIX } from '../../shared/ruleset/redis-keys.js';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';
import type { RequestWindow } from './rate-limit-store.js';
import { createLocalRateLimitStore, type RateLimitStore, type RateLimitStores } from './rate-limit-store.js';

/** Time limit for an answer of Redis. After it, this process counts alone until it can connect again. */
const PATIENCE_MS = 500;

/**
 * Adds `ARGV[1]` to the count of a key, in a window of `ARGV[2]` seconds. Unlike the library's script, it limits the
 * remaining time of a window to `ARGV[2]`. Keys expire by the clock of Redis. If that clock is set back, an open window
 * would otherwise last too long.
 */
const COUNT_SCRIPT = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local count = redis.call('incrby', KEYS[1], ARGV[1])
local leftMs = redis.call('pttl', KEYS[1])
local windowMs = 1000 * ARGV[2]
if leftMs < 0 or leftMs > windowMs then
  redis.call('pexpire', KEYS[1], windowMs)
  leftMs = windowMs
end
return {count, leftMs}`;

/**
 * Counts for all processes that share a Redis server. While Redis is unavailable, each process counts alone from zero.
 * No request fails because of the outage. Only the requests that detect it wait (500 ms).
 */
export function openSharedRateLimitStores(url: string, logger: Logger): RateLimitStores {
  const redis = connect(url, logger);
  return {
    open: (name, windowSeconds) => createSharedStore(redis, name, windowSeconds),
    close: () => redis.disconnect(),
  };
}

function createSharedStore(redis: Redis, name: string, windowSeconds: number): RateLimitStore {
  const local = createLocalRateLimitStore(windowSeconds);
  const counter = new RateLimiterRedis({
    // The store only counts. Its callers compare the count with the limit.
    points: Number.MAX_SAFE_INTEGER,
    duration: windowSeconds,
    storeClient: redis,
    keyPrefix: `${DEFAULT_KEY_PREFIX}:${name}`,
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: COUNT_SCRIPT,
  });
  return {
    consume: (key) => counter.consume(key).then(toWindow, () => local.consume(key)),
    get: (key) =>
      counter.get(key).then(
        (window) => window && toWindow(window),
        () => local.get(key),
      ),
    async forget(key) {
      await local.forget(key);
      await counter.delete(key).catch(() => false);
    },
  };
}

function toWindow(window: { readonly consumedPoints: number; readonly msBeforeNext: number }): RequestWindow {
  return { count: window.consumedPoints, msBeforeNext: window.msBeforeNext };
}

/** Connection for counts alone. The publisher's connection may be busy with a ruleset. */
function connect(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    ...redisOptions(),
    commandTimeout: PATIENCE_MS,
    // Ends a silent connection. No further request waits for it.
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
