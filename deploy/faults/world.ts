import { createProduct, type Product } from './product.js';
import { createLinkStream, type LinkState } from './servers/link-stream.js';
import { createServerFolder, type ServerFolder } from './servers/server-folder.js';
import type { ServerProcess } from './servers/server-process.js';
import { createServers, type Servers } from './servers/servers.js';
import { createTcpGate, type TcpGate, type TcpGateOptions } from './servers/tcp-gate.js';

/** Special settings that a fault needs. */
export interface WorldOptions {
  /** Default: one. */
  readonly brokers?: 1 | 3;
  /** Filter between Redis and the data planes. */
  readonly redisFilter?: TcpGateOptions['filter'];
  /** States of the links to PostgreSQL and Redis. */
  readonly links?: Readonly<Record<'postgres' | 'redis', () => LinkState>>;
  /** Options of the second data plane, into which faults are injected. */
  readonly second?: (folder: ServerFolder) => {
    readonly dataDir?: string;
    readonly environment?: Readonly<Record<string, string>>;
    /** Called when the world ends. */
    readonly release?: () => void;
  };
}

/** The product in its production form: real servers, and every part in its own processes. */
export interface World extends Product, Servers {
  readonly folder: ServerFolder;
  /** Ends everything immediately and removes its files. */
  stop(): Promise<void>;
}

/** @throws when a server is not installed or does not start; nothing keeps running then */
export async function startWorld(options: WorldOptions, isKept: boolean): Promise<World> {
  const folder = await createServerFolder(isKept);
  const stops: (() => Promise<unknown>)[] = [];
  const started = async (...servers: readonly ServerProcess[]) => {
    stops.push(...servers.map((server) => server.kill));
    await Promise.all(servers.map((server) => server.start()));
  };
  async function stop() {
    await Promise.all(stops.map((end) => end()));
    folder.remove();
  }
  try {
    const servers = await createServers(folder, options.brokers);
    const { postgres, redis, kafka, clickhouse } = servers;
    stops.push(() => clickhouse.gate.close());
    await started(postgres.server, redis.server, clickhouse.server, ...kafka.brokers);
    const { redisFilter: filter, links, second } = options;
    const redisGate = await gateTo(redis.port, { filter, link: links?.redis });
    const postgresGate = await gateTo(portOf(postgres.url), { link: links?.postgres });
    const { release, ...ofSecond } = second?.(folder) ?? {};
    stops.push(async () => {
      release?.();
      await redisGate?.close();
      await postgresGate?.close();
    });
    const redisPort = redisGate?.port ?? redis.port;
    const product = await createProduct(folder, servers, {
      redisPort,
      ofControlplane: {
        DATABASE_URL: withPort(postgres.url, postgresGate?.port),
        ...(links && { REDIS_URL: withPort(redis.url, redisPort) }),
      },
      ofSecond,
    });
    await started(product.controlplane);
    await started(...product.dataplanes.map(({ server }) => server), product.ingest);
    return { folder, ...servers, ...product, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function gateTo(
  port: number,
  { filter, link }: { filter?: TcpGateOptions['filter']; link?: (() => LinkState) | undefined },
): Promise<TcpGate | undefined> {
  if (filter === undefined && link === undefined) return undefined;
  return createTcpGate({ targetPort: () => port, filter, link: link && (() => createLinkStream(link)) });
}

const portOf = (url: string) => Number(new URL(url).port);

function withPort(address: string, port: number | undefined): string {
  const url = new URL(address);
  if (port !== undefined) url.port = String(port);
  return url.href;
}
