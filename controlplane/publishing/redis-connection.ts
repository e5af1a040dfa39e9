import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';

/** The publisher's connection. It is opened in the background and retried for ever. Without it, commands fail. */
export function connectRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, { ...redisOptions(), connectionName: 'waymark-controlplane' });
  // Each attempt fails alike; the process logger reports a problem once a minute.
  redis.on('error', (error: unknown) =>
    logger.error({ problem: describeRedisError(error) }, 'rulesets cannot be published through Redis'),
  );
  redis.on('ready', () => logger.info('connected to Redis'));
  return redis;
}
