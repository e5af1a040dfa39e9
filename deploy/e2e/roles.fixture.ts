import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  startClickhouseServer,
  type TestServer,
} from '../../controlplane/storage/clickhouse/clickhouse-server.fixture.js';
import { createTestSchema } from '../../controlplane/storage/postgres/test-database.fixture.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { type KafkaBroker, startKafkaBroker } from '../../shared/process/kafka-broker.fixture.js';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { fixedPorts } from './crash-product.fixture.js';

const START_TIMEOUT_MS = 240_000;
export const TOKEN = `wm_${'r'.repeat(43)}`;

/** Real servers, of the tests' own, and the variables that lead to them. */
export interface Servers {
  readonly redis: RedisServer;
  readonly kafka: KafkaBroker;
  readonly clickhouse: TestServer;
  /** All variables that the roles need. The ports stay the same over restarts. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** @throws without PostgreSQL (DATABASE_URL), Redis or Kafka */
export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-roles-'));
  const { DATABASE_URL = '' } = processEnvironment();
  const [redis, kafka, clickhouse, postgres, ports] = await Promise.all([
    startRedisServer(),
    startKafkaBroker(),
    startClickhouseServer(path.join(folder, 'clickhouse')),
    createTestSchema(DATABASE_URL),
    fixedPorts(),
  ]);
  return {
    redis,
    kafka,
    clickhouse,
    environment: {
      ...ports,
      DATA_DIR: path.join(folder, 'data'),
      DATABASE_URL: postgres.databaseUrl,
      ALLOW_LOCALHOST_DOMAINS: 'on',
      REDIS_URL: redis.url,
      KAFKA_BROKERS: kafka.address,
      CLICKHOUSE_URL: clickhouse.url,
      CONTROL_PLANE_URL: `http://127.0.0.1:${ports.API_PORT}`,
      SECRET_KEY: 'the same for all roles of one installation',
      BOOTSTRAP_TOKEN: TOKEN,
      BILLING: 'sandbox',
      API_HOST: '127.0.0.1',
      REDIRECT_HOST: '127.0.0.1',
      INGEST_PORT: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_MULTIPLIER: '1000',
    },
    async close() {
      await Promise.all([redis.remove(), kafka.remove(), clickhouse.close(), postgres.drop()]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** One role, running as its operators run it. */
export interface Role {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Returns everything that it printed. */
  output(): string;
  /** The address printed after `label`. */
  address(label: string): string;
  /** Sends a signal and resolves to the exit code; null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a role and waits until it reports that it runs. */
export async function startRole(
  name: 'controlplane' | 'dataplane' | 'ingest',
  environment: Readonly<Record<string, string>>,
): Promise<Role> {
  const { PATH, HOME } = processEnvironment();
  const entry = path.join(packageRoot(), 'dist', 'deploy', 'roles', `${name}.js`);
  const child = spawn(process.execPath, [entry], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  await new Promise<void>((resolve, reject) => {
    const fail = (how: string) => reject(new Error(`${name} ${how}; it printed:\n${output}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail('did not start in time');
    }, START_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (!/ is running\.\n\n(?: {2}.*\n)+/.test(output)) return;
        clearTimeout(timer);
        resolve();
      });
    }
    void exited.then((code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    output: () => output,
    address: (label) => new RegExp(`^ {2}${label} +(\\S+)`, 'm').exec(output)?.[1] ?? '',
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** One call of the API with the bootstrap token. */
export async function callApi<T>(
  apiAddress: string,
  method: string,
  url: string,
  body?: unknown,
): Promise<{ status: number; body: T }> {
  const response = await fetch(apiAddress + url, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, body: (await response.json()) as T };
}
