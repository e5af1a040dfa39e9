import { type ClickhouseServer, createClickhouse } from './clickhouse.js';
import { createKafka, type KafkaCluster } from './kafka.js';
import { createPostgres, type PostgresServer } from './postgres.js';
import { createRedis, type RedisServer } from './redis.js';
import type { ServerFolder } from './server-folder.js';

/** The servers that the product uses. */
export interface Servers {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly kafka: KafkaCluster;
  readonly clickhouse: ClickhouseServer;
}

/**
 * New servers, not started yet.
 *
 * @throws when one is not installed
 */
export async function createServers(folder: ServerFolder, brokers: 1 | 3 = 1): Promise<Servers> {
  const [postgres, redis, kafka, clickhouse] = await Promise.all([
    createPostgres(folder),
    createRedis(folder),
    createKafka(folder, brokers),
    createClickhouse(folder),
  ]);
  return { postgres, redis, kafka, clickhouse };
}
