import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { childrenOf, hasProcessFacts, isRunning } from './crash-processes.fixture.js';
import {
  attemptStart,
  expectGone,
  fixedPorts,
  HOST,
  type Installation,
  install,
} from './crash-product.fixture.js';
import { killWorkers, startForTest, withEmptyDataDir } from './product.fixture.js';
import { expectStored, startTraffic, workersOf } from './take-over.fixture.js';

const SOON = { interval: 20 };

/** A module in which SIGWINCH throws an uncaught error. */
const UNCAUGHT_ERROR =
  "data:text/javascript,process.on('SIGWINCH',()=>{throw%20new%20Error('nobody%20caught%20this')})";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});

/** A copy of the installation, running with two workers. */
function withServing(
  environment: Readonly<Record<string, string>>,
  work: (parts: Awaited<ReturnType<typeof startServing>>) => Promise<void>,
): Promise<void> {
  return installation.withCopy(async (dataDir) => {
    onTestFinished(() => killWorkers(dataDir));
    await work(await startServing(dataDir, environment));
  });
}

async function startServing(dataDir: string, more: Readonly<Record<string, string>>) {
  const environment = {
    ...(await fixedPorts()),
    REDIRECT_WORKERS: '2',
    LOG_LEVEL: 'info',
    HIT_FLUSH_INTERVAL_MS: '1000',
    ...more,
  };
  const options = { dataDir, environment, token: installation.token };
  const product = await startForTest(options);
  const workers = childrenOf(product.process.pid ?? 0);
  expect(workers).toHaveLength(2);
  return { dataDir, options, product, workers };
}

describe.runIf(hasProcessFacts)('visitors notice nothing', () => {
  test('when the main process is killed and started again, and every hit is stored', () =>
    withServing({}, async ({ options, product, workers }) => {
      const traffic = startTraffic(product);
      await traffic.answeredMore(200);
      expect(await product.end('SIGKILL')).toBeNull();
      await traffic.answeredMore(200);

      const next = await startForTest(options);
      await vi.waitFor(() => expect(workers.filter(isRunning)).toEqual([]), SOON);
      await traffic.answeredMore(200);
      await traffic.expectNoneFailed(workers.length);
      await expectStored(next, installation.redirectId, traffic.answered());
      expect(await next.end('SIGTERM')).toBe(0);
      expect(await workersOf(options.dataDir)).toEqual([]);
    }));

  test('when SIGTERM hands over to the start of another build', () =>
    withServing({ HANDOVER_SECONDS: '300' }, async ({ options, product, workers }) => {
      const traffic = startTraffic(product);
      await traffic.answeredMore(200);
      const askedAtMs = performance.now();
      expect(await product.end('SIGTERM')).toBe(0);
      expect(performance.now() - askedAtMs).toBeLessThan(10_000);
      await traffic.answeredMore(200);
      expect(workers.filter(isRunning)).toEqual(workers);

      const next = await startForTest({ ...options, dist: await otherBuild() });
      await vi.waitFor(() => expect(workers.filter(isRunning)).toEqual([]), SOON);
      await traffic.answeredMore(200);
      await traffic.expectNoneFailed(workers.length);
      await expectStored(next, installation.redirectId, traffic.answered());
      expect(await next.end('SIGINT')).toBe(0);
      expect(await workersOf(options.dataDir), 'Ctrl-C leaves nothing behind').toEqual([]);
    }));

  test('while starts fail because a stranger has the port of the API, and when one succeeds', () =>
    withServing({}, async ({ dataDir, options, product, workers }) => {
      const traffic = startTraffic(product);
      await traffic.answeredMore(200);
      const apiPort = Number(new URL(product.apiAddress).port);
      await product.end('SIGKILL');
      const stranger = createServer().listen(apiPort, '127.0.0.1');
      await once(stranger, 'listening');
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const failing = attemptStart({ ...options.environment, DATA_DIR: dataDir });
        await vi.waitFor(() => expect(failing.process.exitCode).toBe(1));
        expect(workers.filter(isRunning), 'those that serve').toEqual(workers);
        expect(await workersOf(dataDir)).toHaveLength(2);
      }
      await traffic.answeredMore(100);
      await new Promise((resolve) => stranger.close(resolve));

      const next = await startForTest(options);
      await vi.waitFor(() => expect(workers.filter(isRunning)).toEqual([]), SOON);
      await traffic.answeredMore(100);
      // The workers of the failed starts have listened as well.
      await traffic.expectNoneFailed(3 * workers.length);
      await expectStored(next, installation.redirectId, traffic.answered());
      expect(await next.end('SIGTERM')).toBe(0);
    }));

  test('while the database is damaged, and when it is whole again', () =>
    withServing({}, async ({ dataDir, options, product, workers }) => {
      const traffic = startTraffic(product);
      await traffic.answeredMore(200);
      await product.end('SIGKILL');
      const database = path.join(dataDir, 'postgres');
      await rename(database, `${database}.away`);
      await mkdir(database);
      await writeFile(path.join(database, 'PG_VERSION'), 'damaged\n');

      const held = await startForTest(options);
      expect(held.output()).toContain('Nothing can be changed.');
      await vi.waitFor(() => expect(workers.filter(isRunning)).toEqual([]), SOON);
      await traffic.answeredMore(200);
      const ofHeld = childrenOf(held.process.pid ?? 0);
      await held.end('SIGKILL');
      await rm(database, { recursive: true, force: true });
      await rename(`${database}.away`, database);

      const next = await startForTest(options);
      await vi.waitFor(() => expect(ofHeld.filter(isRunning)).toEqual([]), SOON);
      await traffic.answeredMore(100);
      await traffic.expectNoneFailed(workers.length + ofHeld.length);
      await expectStored(next, installation.redirectId, traffic.answered());
      expect(await next.end('SIGTERM')).toBe(0);
    }));
});

describe.runIf(hasProcessFacts)('workers without a supervisor', () => {
  test('that hang are killed by the next start', () =>
    withServing({}, async ({ options, product, workers }) => {
      await product.end('SIGKILL');
      const [hung = 0] = workers;
      process.kill(hung, 'SIGSTOP');
      const next = await startForTest(options);
      await vi.waitFor(() => expect(workers.filter(isRunning)).toEqual([]), SOON);
      expect((await next.visit(HOST, '/')).status).toBe(302);
      expect(await next.end('SIGTERM')).toBe(0);
    }));

  test('end when the data directory is removed', () =>
    withServing({}, async ({ dataDir, product, workers }) => {
      await product.end('SIGKILL');
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
      await expectGone(workers);
    }));

  test('end by SIGTERM and by SIGINT, which they ignore while they have one', () =>
    withServing({}, async ({ product, workers }) => {
      const [first = 0, second = 0] = workers;
      process.kill(first, 'SIGTERM');
      process.kill(second, 'SIGINT');
      expect((await product.visit(HOST, '/')).status).toBe(302);
      expect(workers.filter(isRunning)).toEqual(workers);

      await product.end('SIGKILL');
      await vi.waitFor(() => expect(product.output().match(/the supervisor is gone/g)).toHaveLength(2), SOON);
      process.kill(first, 'SIGTERM');
      process.kill(second, 'SIGINT');
      await expectGone(workers);
    }));

  test('end when nobody takes over in the time they were given', () =>
    withServing({ HANDOVER_SECONDS: '12' }, async ({ dataDir, product, workers }) => {
      const askedAtMs = performance.now();
      expect(await product.end('SIGTERM')).toBe(0);
      expect(workers.filter(isRunning)).toEqual(workers);
      await expectGone(workers);
      expect(performance.now() - askedAtMs).toBeGreaterThan(11_000);
      expect(await readdir(path.join(dataDir, 'workers'))).toEqual([]);
    }));

  test('serve on after an error that nobody caught, and keep their port from another product', () =>
    withServing({ NODE_OPTIONS: `--import=${UNCAUGHT_ERROR}` }, async ({ options, product, workers }) => {
      expect(await product.end('SIGWINCH')).toBe(1);
      expect(product.output()).toContain('nobody caught this');
      expect((await product.visit(HOST, '/')).status).toBe(302);
      await withEmptyDataDir(async (dataDir) => {
        const { REDIRECT_PORT = '' } = options.environment as Record<string, string>;
        const stranger = attemptStart({ DATA_DIR: dataDir, REDIRECT_PORT, LOG_LEVEL: 'warn' });
        const code = await stranger.exited;
        expect(stranger.output()).toContain(`${REDIRECT_PORT}: the port is in use`);
        expect(code, stranger.output()).toBe(1);
      });
      expect(workers.filter(isRunning)).toEqual(workers);
    }));
});

/** The same product in another folder, with another version. */
async function otherBuild(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-build-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(path.join(packageRoot(), 'dist'), path.join(folder, 'dist'), { recursive: true });
  await cp(path.join(packageRoot(), 'controlplane'), path.join(folder, 'controlplane'), { recursive: true });
  await symlink(path.join(packageRoot(), 'node_modules'), path.join(folder, 'node_modules'));
  const manifest = { name: 'waymark', version: '99.0.0', type: 'module' };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  return path.join(folder, 'dist');
}
