import { Redis } from 'ioredis';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';

export interface RedisConnectionDeps {
  readonly url: string;
  /** Name of the connection in Redis's list of clients. */
  readonly name: string;
  /** Called for every failure to connect, with a text without secrets. */
  readonly onProblem: (problem: string) => void;
  readonly random: () => number;
}

/** A connection that is opened in the background and retried for ever. Without it, commands fail. */
export function connectRedis({ url, name, onProblem, random }: RedisConnectionDeps): Redis {
  const redis = new Redis(url, { ...redisOptions(random), connectionName: name });
  redis.on('error', (error: unknown) => onProblem(describeRedisError(error)));
  return redis;
}
