import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTestSchema } from '../../controlplane/storage/postgres/test-database.fixture.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { type Product, startForTest, withEmptyDataDir } from './product.fixture.js';
import { createRedirect } from './rules.fixture.js';

const TIMEOUT_MS = 240_000;
const SOON = { timeout: 60_000, interval: 100 };
const TOKEN = `wm_${'s'.repeat(43)}`;
const run = promisify(execFile);

const statusOf = async (product: Product, host: string) => (await product.visit(host, '/')).status;

/** A schema of the test's own on the server, and how to dump and restore it as operators do. */
async function startPostgres() {
  const { DATABASE_URL = '', PATH } = processEnvironment();
  const { databaseUrl, drop } = await createTestSchema(DATABASE_URL);
  onTestFinished(drop);
  const schema = /search_path%3D(\w+)|search_path=(\w+)/.exec(databaseUrl)?.slice(1).find(Boolean) ?? '';
  const env = { PATH };
  return {
    databaseUrl,
    dump: async () =>
      (await run('pg_dump', ['--schema', schema, DATABASE_URL], { env, maxBuffer: 2 ** 26 })).stdout,
    async restore(dump: string) {
      const script = `DROP SCHEMA ${schema} CASCADE;\n${dump}`;
      const psql = run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', DATABASE_URL], { env });
      psql.child.stdin?.end(script);
      await psql;
    },
  };
}

async function startServed() {
  const [redis, postgres] = await Promise.all([startRedisServer(), startPostgres()]);
  onTestFinished(() => redis.remove());
  const environment = {
    DATABASE_URL: postgres.databaseUrl,
    REDIS_URL: redis.url,
    BILLING: 'sandbox',
    BOOTSTRAP_TOKEN: TOKEN,
    ALLOW_LOCALHOST_DOMAINS: 'on',
  };
  return {
    redis,
    postgres,
    start: (dataDir: string) => startForTest({ dataDir, environment, token: TOKEN }),
  };
}

test.each([
  { name: 'while Redis has the changes that the restore took back', isRedisEmptied: false },
  { name: 'after Redis was emptied: only the data plane has them', isRedisEmptied: true },
])('a restored PostgreSQL is what visitors get, $name', { timeout: TIMEOUT_MS }, ({ isRedisEmptied }) =>
  withEmptyDataDir(async (dataDir) => {
    const { redis, postgres, start } = await startServed();
    const first = await start(dataDir);
    await createRedirect(first, 'kept.localhost');
    expect(await first.end('SIGTERM')).toBe(0);
    const dump = await postgres.dump();

    const second = await start(dataDir);
    await createRedirect(second, 'later2.localhost');
    await vi.waitFor(async () => expect(await statusOf(second, 'later2.localhost')).toBe(302), SOON);
    expect(await second.end('SIGTERM')).toBe(0);

    await postgres.restore(dump);
    if (isRedisEmptied) await redis.kill();
    if (isRedisEmptied) await redis.restart();
    const third = await start(dataDir);
    await createRedirect(third, 'later3.localhost');
    await vi.waitFor(async () => expect(await statusOf(third, 'later3.localhost')).toBe(302), SOON);
    expect(await statusOf(third, 'later2.localhost')).toBe(404);
    expect(await statusOf(third, 'kept.localhost')).toBe(302);
    expect(third.output()).toContain('a new epoch begins');
    expect(await third.end('SIGTERM')).toBe(0);
  }),
);

test('an empty database beside a Redis with redirects is not published', { timeout: TIMEOUT_MS }, () =>
  withEmptyDataDir(async (dataDir) => {
    const { redis, start } = await startServed();
    const first = await start(dataDir);
    await createRedirect(first, 'kept.localhost');
    expect(await first.end('SIGTERM')).toBe(0);

    const { databaseUrl, drop } = await createTestSchema(processEnvironment().DATABASE_URL ?? '');
    onTestFinished(drop);
    await withEmptyDataDir(async (otherDir) => {
      const environment = {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        BILLING: 'sandbox',
        BOOTSTRAP_TOKEN: TOKEN,
        ALLOW_LOCALHOST_DOMAINS: 'on',
      };
      const wrong = await startForTest({ dataDir: otherDir, environment, token: TOKEN });
      await vi.waitFor(async () => {
        const { status, body } = await wrong.api<{ reasons?: { rulesets?: string } }>('GET', '/readyz');
        expect(status).toBe(503);
        expect(body.reasons?.rulesets).toContain('another database');
      }, SOON);
      await vi.waitFor(async () => expect(await statusOf(wrong, 'kept.localhost')).toBe(302), SOON);
      const refused = await wrong.api('POST', '/add-redirect', {
        fromDomain: 'new.localhost',
        toDomain: 'https://destination.example',
      });
      expect(refused.status).toBe(503);
      expect((await wrong.api('GET', '/get-redirects/me')).status).toBe(200);

      const { status, body } = await wrong.api<{ head: string }>('POST', '/admin/new-epoch');
      expect(status).toBe(200);
      expect(body.head).toMatch(/^\d+\.0$/);
      await vi.waitFor(async () => expect(await statusOf(wrong, 'kept.localhost')).toBe(404), SOON);
      expect((await wrong.api('GET', '/readyz')).status).toBe(200);
      await createRedirect(wrong, 'new.localhost');
      expect(await wrong.end('SIGTERM')).toBe(0);
    });
  }),
);
