import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';

/** The publisher's connection. It is sought in the background and for ever; commands fail while it is not there. */
export function connectRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, { ...redisOptions(), connectionName: 'waymark-controlplane' });
  let lastProblem: string | undefined;
  redis.on('error', (error: unknown) => {
    const problem = describeRedisError(error);
    if (problem !== lastProblem) logger.error({ problem }, 'the connection to Redis has a problem');
    lastProblem = problem;
  });
  redis.on('ready', () => {
    lastProblem = undefined;
    logger.info('connected to Redis');
  });
  return redis;
}
