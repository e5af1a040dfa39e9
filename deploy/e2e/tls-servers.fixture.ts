import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startClickhouseServer } from '../../controlplane/storage/clickhouse/clickhouse-server.fixture.js';
import { startKafkaBroker } from '../../shared/process/kafka-broker.fixture.js';
import { startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { createPostgres, type PostgresServer } from '../faults/servers/postgres.js';
import { createServerFolder } from '../faults/servers/server-folder.js';
import { fixedPorts } from './crash-product.fixture.js';
import { TOKEN } from './roles.fixture.js';
import { type CertificateFiles, makeServerCertificate } from './server-certificate.fixture.js';

/** Servers that speak nothing but TLS, as `localhost`, and want a password each. */
export interface TlsServers {
  /** All variables that the roles need, except the authority. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file with the authority of the servers' certificates. */
  readonly authority: string;
  /** None of which may be printed. */
  readonly passwords: readonly string[];
  close(): Promise<void>;
}

const PASSWORDS = { postgres: 's3cret-of-postgres', redis: 's3cret-of-redis', kafka: 's3cret-of-kafka' };

/** @throws where PostgreSQL, Redis, Kafka or openssl is not installed */
export async function startTlsServers(): Promise<TlsServers> {
  const folder = await createServerFolder(false);
  const files = makeServerCertificate(folder.root, 'localhost');
  const tls = { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.certificate, 'utf8') };
  const kafkaUser = { username: 'waymark', password: PASSWORDS.kafka };
  const [postgres, redis, kafka, clickhouse, ports] = await Promise.all([
    createPostgres(folder),
    startRedisServer({ ...files, password: PASSWORDS.redis }),
    startKafkaBroker({ ...files, ...kafkaUser }),
    startClickhouseServer(folder.path('clickhouse'), tls),
    fixedPorts(),
  ]);
  const databaseUrl = await secure(postgres, files);
  return {
    authority: files.authority,
    passwords: Object.values(PASSWORDS),
    environment: {
      ...ports,
      DATA_DIR: folder.path('data'),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      KAFKA_BROKERS: kafka.address,
      KAFKA_SSL: 'on',
      KAFKA_SASL_MECHANISM: 'scram-sha-256',
      KAFKA_USERNAME: kafkaUser.username,
      KAFKA_PASSWORD: kafkaUser.password,
      CLICKHOUSE_URL: clickhouse.url,
      SECRET_KEY: 'the same for all roles of one installation',
      BOOTSTRAP_TOKEN: TOKEN,
      BILLING: 'sandbox',
      API_HOST: '127.0.0.1',
      REDIRECT_HOST: '127.0.0.1',
      INGEST_PORT: '0',
      ALLOW_LOCALHOST_DOMAINS: 'on',
    },
    async close() {
      await Promise.all([postgres.server.kill(), redis.remove(), kafka.remove(), clickhouse.close()]);
      folder.remove();
    },
  };
}

/** Makes it accept only TCP connections with TLS and a password. @returns the URL to use */
async function secure({ server, url, dataDir }: PostgresServer, files: CertificateFiles): Promise<string> {
  const port = new URL(url).port;
  const inside = (name: string) => path.join(dataDir, name);
  copyFileSync(files.key, inside('server.key'));
  copyFileSync(files.certificate, inside('server.crt'));
  // The server refuses a key that others can read, or that belongs to another user.
  execFileSync('chmod', ['600', inside('server.key')]);
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', inside('server.key')]);
  appendFileSync(inside('postgresql.conf'), 'ssl = on\n');
  writeFileSync(inside('pg_hba.conf'), 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n');
  await server.start();
  const socket = ['-h', path.dirname(dataDir), '-p', port, '-U', 'waymark', '-d', 'postgres'];
  execFileSync('psql', [...socket, '-c', `ALTER USER waymark PASSWORD '${PASSWORDS.postgres}'`], {
    stdio: 'pipe',
  });
  return `postgres://waymark:${PASSWORDS.postgres}@localhost:${port}/postgres?sslmode=verify-full`;
}
