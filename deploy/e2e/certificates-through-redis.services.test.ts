import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  startClickhouseServer,
  type TestServer,
} from '../../controlplane/storage/clickhouse/clickhouse-server.fixture.js';
import { createTestSchema } from '../../controlplane/storage/postgres/test-database.fixture.js';
import { visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { createTestAuthority } from '../../shared/certificates/certificates.fixture.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { type RedisServer, startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { fixedPorts } from './crash-product.fixture.js';
import { callApi, type Role, startRole, TOKEN } from './roles.fixture.js';

const HOST = 'certificate.localhost';
const POLL = { timeout: 60_000, interval: 100 };

let folder: string;
let redis: RedisServer;
let clickhouse: TestServer;
let postgres: Awaited<ReturnType<typeof createTestSchema>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-certificates-'));
  [redis, clickhouse, postgres] = await Promise.all([
    startRedisServer(),
    startClickhouseServer(path.join(folder, 'clickhouse')),
    createTestSchema(processEnvironment().DATABASE_URL ?? ''),
  ]);
});
afterAll(async () => {
  await Promise.all([redis.remove(), clickhouse.close(), postgres.drop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startForTest(
  name: 'controlplane' | 'dataplane',
  environment: Readonly<Record<string, string>>,
): Promise<Role> {
  const role = await startRole(name, {
    ...{ SECRET_KEY: 'the same for all roles', REDIS_URL: redis.url, LOG_LEVEL: 'warn', BILLING: 'sandbox' },
    ...{ DATABASE_URL: postgres.databaseUrl, CLICKHOUSE_URL: clickhouse.url, ALLOW_LOCALHOST_DOMAINS: 'on' },
    // Hits are kept on disk while there is no Kafka.
    ...{
      KAFKA_BROKERS: '127.0.0.1:1',
      BOOTSTRAP_TOKEN: TOKEN,
      API_HOST: '127.0.0.1',
      REDIRECT_HOST: '127.0.0.1',
    },
    ...environment,
  });
  onTestFinished(() => void role.process.kill('SIGKILL'));
  return role;
}

/** Returns all texts in Redis. */
async function contentOfRedis(): Promise<string> {
  const client = new Redis(redis.url);
  const texts: string[] = [];
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    if (type === 'string') texts.push((await client.getBuffer(key))?.toString('latin1') ?? '');
    else if (type === 'hash') texts.push(JSON.stringify(await client.hgetall(key)));
    else if (type === 'zset') texts.push(...(await client.zrange(key, '0', '-1')));
    else if (type === 'stream') texts.push(JSON.stringify(await client.xrange(key, '-', '+')));
    else if (type === 'list') texts.push(...(await client.lrange(key, 0, -1)));
  }
  client.disconnect();
  return texts.join('\n');
}

test('certificates reach several data planes through Redis and HTTP, their keys never through Redis', async () => {
  const ports = await Promise.all([fixedPorts(), fixedPorts(), fixedPorts()]);
  const apiAddress = `http://127.0.0.1:${ports[0].API_PORT}`;
  const api = (method: string, url: string, body?: object) =>
    callApi<{ error?: object }>(apiAddress, method, url, body);
  const controlplane = await startForTest('controlplane', {
    ...ports[0],
    DATA_DIR: path.join(folder, 'control'),
  });
  const dataplanes = [ports[1], ports[2]].map(
    ({ REDIRECT_PORT = '', ADMIN_PORT = '', API_PORT = '' }, index) => ({
      tlsPort: Number(API_PORT),
      dataDir: path.join(folder, `data${index}`),
      environment: {
        ...{ REDIRECT_PORT, ADMIN_PORT, TLS_PORT: API_PORT, CONTROL_PLANE_URL: apiAddress },
        DATA_DIR: path.join(folder, `data${index}`),
      },
    }),
  );
  const [first, second] = dataplanes as [(typeof dataplanes)[0], (typeof dataplanes)[0]];
  const running = await Promise.all(
    dataplanes.map(({ environment }) => startForTest('dataplane', environment)),
  );

  const authority = createTestAuthority();
  const material = authority.issue([HOST]);
  const redirect = { fromDomain: HOST, toDomain: 'https://new.example' };
  expect((await api('POST', '/add-redirect', redirect)).status).toBe(201);
  expect((await api('PUT', `/certificates/${HOST}`, material)).status).toBe(200);
  const visitAt = (port: number) =>
    visit({ port, servername: HOST, options: { ca: authority.root } }).catch(() => undefined);
  for (const { tlsPort } of dataplanes) {
    await expect.poll(async () => (await visitAt(tlsPort))?.authorized, POLL).toBe(true);
    expect(await visitAt(tlsPort)).toMatchObject({
      statusCode: 301,
      headers: { location: 'https://new.example' },
    });
  }

  const { fingerprint = '' } = (await visitAt(first.tlsPort)) ?? {};
  const content = await contentOfRedis();
  expect(content).toContain(fingerprint);
  expect(content).not.toContain('PRIVATE KEY');
  const files = await readdir(path.join(first.dataDir, 'certificates'));
  expect(files).toContain(fingerprint);
  const sealed = path.join(first.dataDir, 'certificates', fingerprint);
  expect((await stat(sealed)).mode & 0o777).toBe(0o600);
  const text = await readFile(sealed, 'utf8');
  expect(content).not.toContain(text);
  expect(text).not.toContain('PRIVATE KEY');

  // A start with the control plane down, and Redis empty.
  expect(await controlplane.end('SIGTERM')).toBe(0);
  expect(await running[1]?.end('SIGTERM')).toBe(0);
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  await startForTest('dataplane', second.environment);
  await expect.poll(async () => (await visitAt(second.tlsPort))?.authorized, POLL).toBe(true);
  expect((await visitAt(second.tlsPort))?.fingerprint).toBe(fingerprint);
});
