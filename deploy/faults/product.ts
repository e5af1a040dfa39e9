import { type Api, createApi } from './api.js';
import { createDataplane, type DataplaneOptions, type DataplaneProcess } from './dataplane-process.js';
import { freePorts } from './servers/free-ports.js';
import { createRoleProcess } from './servers/role-process.js';
import type { ServerFolder } from './servers/server-folder.js';
import type { ServerProcess } from './servers/server-process.js';
import type { Servers } from './servers/servers.js';

/** The parts of the product, each in its own processes. */
export interface Product {
  readonly controlplane: ServerProcess;
  readonly dataplanes: readonly [DataplaneProcess, DataplaneProcess];
  readonly ingest: ServerProcess;
  /** Whether ingest reads from Kafka and its store is up. */
  isIngesting(): Promise<boolean>;
  readonly api: Api;
}

export interface ProductOptions {
  /** Port of Redis for the data planes. */
  readonly redisPort: number;
  /** Variables of the control plane that differ. */
  readonly ofControlplane: Readonly<Record<string, string>>;
  /** Options of the second data plane that differ from the first. */
  readonly ofSecond: Partial<Pick<DataplaneOptions, 'dataDir' | 'environment'>>;
}

const COMMON = { SECRET_KEY: 'the same for all roles of one installation', LOG_LEVEL: 'info' };
const TOKEN = `wm_${'f'.repeat(43)}`;
const TIMEOUT_MS = 3_000;

/** The parts are not started yet. */
export async function createProduct(
  folder: ServerFolder,
  servers: Servers,
  { redisPort, ofControlplane, ofSecond }: ProductOptions,
): Promise<Product> {
  const [apiPort = 0, ingestPort = 0] = await freePorts(2);
  const apiAddress = `http://127.0.0.1:${apiPort}`;
  const environment = {
    ...COMMON,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    KAFKA_BROKERS: servers.kafka.addresses,
    CONTROL_PLANE_URL: apiAddress,
  };
  return {
    api: createApi(apiAddress, TOKEN),
    controlplane: createControlplane(folder, servers, apiPort, ofControlplane),
    dataplanes: [
      await createDataplane(folder, { number: 1, environment }),
      await createDataplane(folder, {
        number: 2,
        ...ofSecond,
        environment: { ...environment, ...ofSecond.environment },
      }),
    ],
    ingest: createIngest(folder, servers, ingestPort),
    isIngesting: () => isOk(ingestPort, '/readyz'),
  };
}

function createControlplane(
  folder: ServerFolder,
  servers: Servers,
  port: number,
  environment: Readonly<Record<string, string>>,
): ServerProcess {
  return createRoleProcess(folder, {
    role: 'controlplane',
    name: 'control plane',
    environment: {
      ...COMMON,
      API_HOST: '127.0.0.1',
      API_PORT: String(port),
      DATABASE_URL: servers.postgres.url,
      ALLOW_LOCALHOST_DOMAINS: 'on',
      REDIS_URL: servers.redis.url,
      CLICKHOUSE_URL: servers.clickhouse.url,
      BOOTSTRAP_TOKEN: TOKEN,
      DEFAULT_PLAN: 'business',
      BILLING: 'sandbox',
      RATE_LIMIT_MULTIPLIER: '1000',
      DATA_DIR: folder.path('controlplane'),
      ...environment,
    },
    isUp: () => isOk(port, '/readyz'),
  });
}

function createIngest(folder: ServerFolder, servers: Servers, port: number): ServerProcess {
  return createRoleProcess(folder, {
    role: 'ingest',
    name: 'ingest',
    environment: {
      ...COMMON,
      KAFKA_BROKERS: servers.kafka.addresses,
      CLICKHOUSE_URL: servers.clickhouse.url,
      INGEST_PORT: String(port),
      DATA_DIR: folder.path('ingest'),
    },
    isUp: () => isOk(port, '/healthz'),
  });
}

async function isOk(port: number, page: string): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}${page}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })).ok;
}
