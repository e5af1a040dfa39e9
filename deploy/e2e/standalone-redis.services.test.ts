import { expect, onTestFinished, test, vi } from 'vitest';
import { startRedisServer } from '../../shared/process/redis-server.fixture.js';
import { childrenOf, isRunning } from './crash-processes.fixture.js';
import { type Product, startForTest, withDataDir } from './product.fixture.js';
import { createRedirect } from './rules.fixture.js';

const SOON = { timeout: 60_000, interval: 100 };

/** Visits over so many connections that every worker almost certainly gets some of them. */
async function servedByAll(product: Product, host: string): Promise<void> {
  await vi.waitFor(async () => {
    const visits = await Promise.all(Array.from({ length: 30 }, () => product.visit(host, '/')));
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([302]));
  }, SOON);
}

test(
  'one command with Redis goes on serving changes while that is away, also from a worker started anew',
  {
    timeout: 120_000,
  },
  () =>
    withDataDir(async (dataDir) => {
      const redis = await startRedisServer();
      onTestFinished(() => redis.remove());
      const environment = { REDIS_URL: redis.url, REDIRECT_WORKERS: '2', API_HOST: '0.0.0.0' };
      const product = await startForTest({ dataDir, environment });
      await createRedirect(product, 'before.localhost');
      await servedByAll(product, 'before.localhost');

      await redis.kill();
      await createRedirect(product, 'without.localhost');
      await servedByAll(product, 'without.localhost');

      const [killed = 0] = childrenOf(product.process.pid ?? 0);
      process.kill(killed, 'SIGKILL');
      await vi.waitFor(() => {
        const workers = childrenOf(product.process.pid ?? 0).filter(isRunning);
        expect(workers.filter((worker) => worker !== killed)).toHaveLength(2);
      }, SOON);
      await createRedirect(product, 'anew.localhost');
      await servedByAll(product, 'anew.localhost');

      expect((await product.api('GET', '/internal/ruleset')).status, 'with the token of a user').toBe(401);
      await redis.restart();
      await createRedirect(product, 'after.localhost');
      await servedByAll(product, 'after.localhost');
      expect(await product.end('SIGTERM')).toBe(0);
    }),
);
