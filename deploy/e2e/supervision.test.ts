import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { childrenOf, hasProcessFacts, isRunning } from './crash-processes.fixture.js';
import { attemptStart, fixedPorts, HOST, type Installation, install } from './crash-product.fixture.js';
import { killWorkers, type Product, startForTest } from './product.fixture.js';
import { environmentOf, startTraffic } from './take-over.fixture.js';

/** Time for a few calls on an overloaded machine. */
const DRAIN_DELAY_MS = 6_000;

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});

const statusOf = async (product: Product, page: string) => (await fetch(product.adminAddress + page)).status;

describe.runIf(hasProcessFacts)('the supervisor', () => {
  test('replaces a worker that hangs, while the others answer', () =>
    installation.withCopy(async (dataDir) => {
      const environment = { ...(await fixedPorts()), REDIRECT_WORKERS: '2' };
      const product = await startForTest({ dataDir, environment, token: installation.token });
      const parent = product.process.pid ?? 0;
      const [hung = 0, other = 0] = childrenOf(parent);
      process.kill(hung, 'SIGSTOP');
      await vi.waitFor(() => expect(isRunning(hung)).toBe(false), { interval: 50 });
      expect(await statusOf(product, '/healthz'), 'the other one answers').toBe(200);
      expect(product.output()).toContain('has not answered for 10 s; killing it');
      expect(isRunning(other)).toBe(true);

      const metrics = await vi.waitFor(
        async () => {
          const text = await (await fetch(`${product.adminAddress}/metrics`)).text();
          expect(text).toContain('\nwaymark_workers_running 2\n');
          return text;
        },
        { interval: 100 },
      );
      expect(childrenOf(parent).filter(isRunning)).toHaveLength(2);
      expect(metrics).toContain('\nwaymark_workers_hung_total 1\n');
      expect(metrics).toContain('\nwaymark_worker_restarts_total 1\n');
      const traffic = startTraffic(product);
      await traffic.answeredMore(200);
      await traffic.expectNoneFailed(0);
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test('is not healthy when no worker answers, and is again when they do', () =>
    installation.withCopy(async (dataDir) => {
      const product = await startForTest({ dataDir, token: installation.token });
      const [worker = 0] = childrenOf(product.process.pid ?? 0);
      expect(await statusOf(product, '/healthz')).toBe(200);
      process.kill(worker, 'SIGSTOP');
      await vi.waitFor(async () => expect(await statusOf(product, '/healthz')).toBe(503));
      expect(await statusOf(product, '/readyz')).toBe(503);
      process.kill(worker, 'SIGCONT');
      await vi.waitFor(async () => expect(await statusOf(product, '/healthz')).toBe(200));
      expect(isRunning(worker)).toBe(true);
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test('gives workers none of the secrets of the control plane', () =>
    installation.withCopy(async (dataDir) => {
      const secrets = {
        BOOTSTRAP_TOKEN: `wm_${'t'.repeat(43)}`,
        STRIPE_SECRET_KEY: 'sk_test_secret',
        STRIPE_WEBHOOK_SECRET: 'whsec_secret',
        CLICKHOUSE_URL: '',
        DATABASE_URL: '',
        AWS_SECRET_ACCESS_KEY: 'of something else on the machine',
      };
      const environment = { ...secrets, BILLING: 'sandbox', TZ: 'UTC' };
      const product = await startForTest({ dataDir, environment, token: installation.token });
      const parent = product.process.pid ?? 0;
      expect(environmentOf(parent)).toEqual(expect.arrayContaining(Object.keys(secrets)));
      const [worker = 0] = childrenOf(parent);
      const inherited = environmentOf(worker);
      expect(inherited).toEqual(expect.arrayContaining(['DATA_DIR', 'PATH', 'TZ', 'LOG_LEVEL']));
      for (const name of [...Object.keys(secrets), 'BILLING']) expect(inherited).not.toContain(name);
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test('tells load balancers before it closes the port: DRAIN_DELAY_MS', () =>
    installation.withCopy(async (dataDir) => {
      const environment = { DRAIN_DELAY_MS: String(DRAIN_DELAY_MS) };
      const product = await startForTest({ dataDir, environment, token: installation.token });
      expect(await statusOf(product, '/readyz')).toBe(200);
      const askedAtMs = performance.now();
      const ended = product.end('SIGTERM');
      await vi.waitFor(async () => expect(await statusOf(product, '/readyz')).toBe(503), { interval: 10 });
      expect(performance.now() - askedAtMs).toBeLessThan(DRAIN_DELAY_MS);
      expect((await product.visit(HOST, '/')).status, 'visitors are still answered').toBe(302);
      expect((await product.api('GET', '/get-redirects/me')).status, 'the API as well').toBe(200);
      expect((await fetch(`${product.apiAddress}/readyz`)).status).toBe(503);
      expect(await ended).toBe(0);
      const tookMs = performance.now() - askedAtMs;
      expect(tookMs).toBeGreaterThan(DRAIN_DELAY_MS);
      expect(tookMs).toBeLessThan(DRAIN_DELAY_MS + 60_000);
    }));

  test('replaces its workers after the start when it is told to during the start', () =>
    installation.withCopy(async (dataDir) => {
      const ports = await fixedPorts();
      const attempt = attemptStart({ ...ports, DATA_DIR: dataDir, LOG_LEVEL: 'info' });
      onTestFinished(() => killWorkers(dataDir));
      const pid = attempt.process.pid ?? 0;
      await vi.waitFor(() => expect(childrenOf(pid)).toHaveLength(1), { interval: 5 });
      expect(attempt.output()).not.toContain('Stop with Ctrl-C.');
      const [former = 0] = childrenOf(pid);
      process.kill(pid, 'SIGUSR2');
      await vi.waitFor(() => expect(attempt.output()).toContain('the data-plane processes are replaced'));
      expect(isRunning(former)).toBe(false);
      expect(childrenOf(pid)).toHaveLength(1);
      process.kill(pid, 'SIGTERM');
      expect(await attempt.exited).toBe(0);
    }));
});
