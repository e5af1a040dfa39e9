import { Redis } from 'ioredis';
import { describeRedisError, redisOptions } from '../../shared/ruleset/redis-options.js';

export interface RedisConnectionDeps {
  readonly url: string;
  /** Names the connection in Redis' list of clients. */
  readonly name: string;
  /** Told of every failure to connect, in words without secrets. */
  readonly onProblem: (problem: string) => void;
  readonly random: () => number;
}

/** A connection that is sought in the background and for ever; commands fail while it is not there. */
export function connectRedis({ url, name, onProblem, random }: RedisConnectionDeps): Redis {
  const redis = new Redis(url, { ...redisOptions(random), connectionName: name });
  redis.on('error', (error: unknown) => onProblem(describeRedisError(error)));
  return redis;
}
