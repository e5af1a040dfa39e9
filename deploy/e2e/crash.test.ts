import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { expectHits, expectWritten, readyToCrash } from './crash-checks.fixture.js';
import { childrenOf, hasProcessFacts } from './crash-processes.fixture.js';
import {
  attemptStart,
  expectGone,
  fixedPorts,
  HOST,
  type Installation,
  install,
  processesOf,
} from './crash-product.fixture.js';
import { startVisitors, startWriters } from './crash-traffic.fixture.js';
import { type Product, startForTest, withEmptyDataDir } from './product.fixture.js';

/**
 * A restart takes about 2 s on a quiet machine. On a busy one it may take longer by the duration of the previous start.
 */
const restartLimitMs = ({ startedInMs }: Product) => 5_000 + 3 * startedInMs;

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});

describe.runIf(hasProcessFacts)('the product', () => {
  test('has all it has acknowledged after both its processes are killed in the middle of traffic', () =>
    installation.withCopy(async (dataDir) => {
      const { token } = installation;
      const environment = await fixedPorts();
      const killed = await startForTest({ dataDir, environment, token });
      const { parent, dataplane } = processesOf(killed);
      const visitors = startVisitors(killed, HOST);
      const writers = startWriters(killed);
      const crash = await readyToCrash(visitors, writers, dataDir);
      for (const pid of [dataplane, parent]) process.kill(pid, 'SIGKILL');
      await expectGone([dataplane, parent]);
      await Promise.all([visitors.stop(), writers.stop()]);

      const product = await startForTest({ dataDir, environment, token });
      expect(product.startedInMs).toBeLessThan(restartLimitMs(killed));
      await expectWritten(product, writers);
      await expectHits(product, installation.redirectId, visitors, crash);
      expect((await product.visit(HOST, '/')).status).toBe(302);
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test('starts its data plane again when that is killed, and loses nothing else', () =>
    installation.withCopy(async (dataDir) => {
      const { token } = installation;
      const product = await startForTest({ dataDir, environment: await fixedPorts(), token });
      const { parent, dataplane } = processesOf(product);
      const visitors = startVisitors(product, HOST);
      const writers = startWriters(product);
      const crash = await readyToCrash(visitors, writers, dataDir);
      process.kill(dataplane, 'SIGKILL');
      await vi.waitFor(() => expect(visitors.answeredAtMs.at(-1)).toBeGreaterThan(crash.atMs + 20), {
        interval: 5,
      });
      const backAfterMs =
        Math.min(...visitors.answeredAtMs.filter((at) => at > crash.atMs + 20)) - crash.atMs;
      const answeredSoFar = visitors.answeredAtMs.length;
      await vi.waitFor(() => expect(visitors.answeredAtMs.length).toBeGreaterThan(answeredSoFar + 300));
      await Promise.all([visitors.stop(), writers.stop()]);

      expect(backAfterMs).toBeLessThan(restartLimitMs(product));
      expect(childrenOf(parent)).toHaveLength(1);
      expect(childrenOf(parent)).not.toContain(dataplane);
      expect(writers.unanswered).toBe(0);
      await expectWritten(product, writers);
      await expectHits(product, installation.redirectId, visitors, crash);
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test('repairs itself when its first start is killed, wherever that was', () =>
    withEmptyDataDir(async (dataDir) => {
      const exists = (name: string) => () => existsSync(path.join(dataDir, name));
      const points: readonly { name: string; isReached: (output: string) => boolean }[] = [
        { name: 'the directory is locked', isReached: exists('waymark.lock') },
        { name: 'the secret key is made', isReached: exists('secret.key') },
        { name: 'the analytics store is being made', isReached: exists('clickhouse') },
        {
          name: 'the analytics store has its first table',
          isReached: (output) => output.includes('analytics migration'),
        },
        {
          // On a busy machine the previous start may already have made it, although it was meant to be killed earlier.
          name: 'the database is being made',
          isReached: () => exists('postgres.creating/base')() || exists('postgres')(),
        },
        { name: 'the database is there and empty', isReached: exists('postgres') },
        { name: 'the database has its tables', isReached: (output) => output.includes('database migration') },
      ];
      for (const { name, isReached } of points) {
        const attempt = attemptStart({ DATA_DIR: dataDir, LOG_LEVEL: 'debug' });
        const parent = attempt.process.pid ?? 0;
        await vi.waitFor(() => expect(isReached(attempt.output()), name).toBe(true), {
          interval: 2,
        });
        const children = childrenOf(parent);
        process.kill(parent, 'SIGKILL');
        await expectGone([parent, ...children]);
      }

      // The token may have been made by a start that did not live to print it: this is the documented way on.
      const token = `wm_${'t'.repeat(43)}`;
      const product = await startForTest({ dataDir, environment: { BOOTSTRAP_TOKEN: token }, token });
      const created = await product.api('POST', '/add-redirect', {
        fromDomain: HOST,
        toDomain: 'https://destination.example',
      });
      expect(created.status).toBe(201);
      await vi.waitFor(async () => expect((await product.visit(HOST, '/')).status).toBe(301));
      expect(await product.end('SIGTERM')).toBe(0);
    }));
});
