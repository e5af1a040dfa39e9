import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKafkaSink } from '../../dataplane/hits/kafka-sink.js';
import { exchange, request } from '../../dataplane/http/raw-client.fixture.js';
import { parseDataplaneConfig } from '../../shared/config/config.js';
import { packageRoot } from '../../shared/config/package-root.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { kafkaLibs } from '../../shared/process/kafka-broker.fixture.js';
import { callApi, type Role, startRole } from './roles.fixture.js';
import { startTlsServers, type TlsServers } from './tls-servers.fixture.js';

const HOST = 'tls.localhost';
const SOON = { timeout: 60_000, interval: 50 };

let servers: TlsServers;

/** Environment of the roles, which trusts the servers' authority. */
const trusting = () => ({ ...servers.environment, NODE_EXTRA_CA_CERTS: servers.authority });

async function startForTest(name: 'dataplane', extra: Readonly<Record<string, string>>): Promise<Role> {
  const role = await startRole(name, { ...trusting(), ...extra });
  onTestFinished(() => void role.process.kill('SIGKILL'));
  return role;
}

/** Runs a role that is expected to exit without a signal. */
function refusedStart(name: string, environment: Readonly<Record<string, string>>) {
  const { PATH, HOME } = processEnvironment();
  const entry = path.join(packageRoot(), 'dist', 'deploy', 'roles', `${name}.js`);
  const env = { PATH, HOME, ...environment, LOG_LEVEL: 'fatal' };
  const { status, stderr } = spawnSync(process.execPath, [entry], { env, encoding: 'utf8', timeout: 30_000 });
  return { status, stderr };
}

describe.skipIf(kafkaLibs === undefined)('servers that speak TLS only', { timeout: 120_000 }, () => {
  const roles: Role[] = [];
  let redirectId = '';
  const api = <T>(method: string, url: string, body?: unknown) =>
    callApi<T>(`http://127.0.0.1:${servers.environment.API_PORT}`, method, url, body);

  beforeAll(async () => {
    servers = await startTlsServers();
    roles.push(
      ...(await Promise.all([startRole('controlplane', trusting()), startRole('ingest', trusting())])),
    );
    const created = await api<{ id: string }>('POST', '/add-redirect', {
      fromDomain: HOST,
      toDomain: 'https://destination.example',
      redirectType: 'temporary',
    });
    expect(created.status).toBe(201);
    redirectId = created.body.id;
  }, 120_000);
  afterAll(async () => {
    await Promise.all(roles.map((role) => role.end('SIGTERM')));
    await servers?.close();
  });

  const storedHits = async () => {
    type Stats = { readonly data: { readonly totalHits: number } };
    return (await api<Stats>('GET', `/analytics/redirect/${redirectId}/stats/basic`)).body.data.totalHits;
  };

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])(
    'carry rulesets and hits, with a login at Kafka by %s',
    async (mechanism) => {
      const before = await storedHits();
      const dataplane = await startForTest('dataplane', { KAFKA_SASL_MECHANISM: mechanism });
      const visit = () => exchange(Number(servers.environment.REDIRECT_PORT), request('/', HOST));
      await vi.waitFor(async () => expect((await visit()).statusCode, dataplane.output()).toBe(302), SOON);
      await vi.waitFor(
        async () => expect(await storedHits(), dataplane.output()).toBeGreaterThan(before),
        SOON,
      );
      expect(await dataplane.end('SIGTERM')).toBe(0);
      for (const password of servers.passwords) expect(dataplane.output()).not.toContain(password);
    },
  );

  it('are named with what to correct where Kafka refuses the login', async () => {
    const dataplane = await startForTest('dataplane', { KAFKA_PASSWORD: 'wrong-s3cret' });
    const visit = () => exchange(Number(servers.environment.REDIRECT_PORT), request('/', HOST));
    await vi.waitFor(async () => expect((await visit()).statusCode, dataplane.output()).toBe(302), SOON);
    await vi.waitFor(
      () => expect(dataplane.output()).toMatch(/"problem":"KAFKA_USERNAME and KAFKA_PASSWORD are refused/),
      SOON,
    );
    expect(dataplane.output()).not.toContain('wrong-s3cret');
  });

  it('are refused where their authority is not known', async () => {
    const { status, stderr } = refusedStart('controlplane', servers.environment);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^(?:DATABASE|CLICKHOUSE)_URL .*certificate.*\n$/);

    const dataplane = await startForTest('dataplane', { NODE_EXTRA_CA_CERTS: '' });
    await vi.waitFor(
      () => expect(dataplane.output()).toMatch(/self-signed certificate|verify the first certificate/),
      SOON,
    );
    const { kafka } = parseDataplaneConfig(servers.environment);
    const sink = createKafkaSink({ brokers: [], ...kafka, logger: pino({ level: 'silent' }) });
    onTestFinished(() => sink.close());
    await expect(sink.deliver(new Uint8Array(8))).rejects.toThrow(/verify the first certificate/);
  });

  it('are refused where the certificate is for another name', async () => {
    const otherName = (url = '') => url.replace('localhost', '127.0.0.1');
    const DATABASE_URL = otherName(servers.environment.DATABASE_URL);
    const { status, stderr } = refusedStart('controlplane', { ...trusting(), DATABASE_URL });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^DATABASE_URL .*127\.0\.0\.1.*another name.*\n$/);

    const dataplane = await startForTest('dataplane', {
      REDIS_URL: otherName(servers.environment.REDIS_URL),
    });
    await vi.waitFor(() => expect(dataplane.output()).toMatch(/does not match certificate/), SOON);
  });
});
