import { createClickhouse } from '../../deploy/faults/servers/clickhouse.js';
import { createKafka } from '../../deploy/faults/servers/kafka.js';
import { createRedis, type RedisServer } from '../../deploy/faults/servers/redis.js';
import { createServerFolder } from '../../deploy/faults/servers/server-folder.js';
import type { ServerProcess } from '../../deploy/faults/servers/server-process.js';

/** Does `work` beside a Redis of the benchmark's own, which it can take away; it and its folder are gone afterwards. */
export async function withRedis<T>(work: (redis: RedisServer) => Promise<T>): Promise<T> {
  const folder = await createServerFolder(false);
  const redis = await createRedis(folder);
  try {
    await redis.server.start();
    return await work(redis);
  } finally {
    await redis.server.kill();
    folder.remove();
  }
}

export interface KafkaBroker {
  readonly server: ServerProcess;
  readonly brokers: readonly string[];
}

/**
 * Does `work` beside one broker of Kafka of the benchmark's own, which ends with it.
 *
 * @throws when its jars are not where `KAFKA_LIBS` says
 */
export async function withKafka<T>(work: (kafka: KafkaBroker) => Promise<T>): Promise<T> {
  const folder = await createServerFolder(false);
  const { brokers, addresses } = await createKafka(folder, 1);
  const [server] = brokers;
  if (server === undefined) throw new Error('a cluster of one broker has one');
  try {
    await server.start();
    return await work({ server, brokers: addresses.split(',') });
  } finally {
    await server.kill();
    folder.remove();
  }
}

/** Does `work` beside the analytics engine behind ClickHouse's HTTP interface, which ends with it. */
export async function withClickhouse<T>(
  work: (clickhouse: { readonly url: string }) => Promise<T>,
): Promise<T> {
  const folder = await createServerFolder(false);
  const { server, gate, url } = await createClickhouse(folder);
  try {
    await server.start();
    return await work({ url });
  } finally {
    await server.kill();
    await gate.close();
    folder.remove();
  }
}
