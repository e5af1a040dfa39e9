import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownProcessMark } from '../../shared/process/process-mark.js';
import { expectWritten, inFullTraffic, settledHits } from './crash-checks.fixture.js';
import { groupMembers, hasProcessFacts } from './crash-processes.fixture.js';
import {
  attemptStart,
  canListenOn,
  fixedPorts,
  HOST,
  type Installation,
  install,
} from './crash-product.fixture.js';
import { SEGMENT, spoolSegment } from './crash-spool.fixture.js';
import { startVisitors, startWriters } from './crash-traffic.fixture.js';
import { startForTest } from './product.fixture.js';

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});

describe.runIf(hasProcessFacts)('the product', () => {
  test('refuses a data directory that is in use, and takes one with a stale lock', () =>
    installation.withCopy(async (dataDir) => {
      // A process id that is in use, though not by who wrote it there.
      const mark = { ...(await ownProcessMark()), startTicks: '1' };
      await writeFile(path.join(dataDir, 'waymark.lock'), JSON.stringify(mark));
      const { token } = installation;
      const product = await startForTest({ dataDir, token });

      const second = attemptStart({ DATA_DIR: dataDir });
      expect(await second.exited).toBe(1);
      expect(second.output().trim().split('\n')).toEqual([expect.stringContaining(`DATA_DIR ${dataDir}`)]);

      expect((await product.visit(HOST, '/')).status).toBe(302);
      expect((await product.api('GET', '/get-redirects/me')).status).toBe(200);
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test('starts with a damaged ruleset and a torn spool, and stores what is left of it', () =>
    installation.withCopy(async (dataDir) => {
      const { token, redirectId } = installation;
      const ruleset = path.join(dataDir, 'ruleset.snapshot');
      const saved = await readFile(ruleset);
      saved.writeUInt8(saved.readUInt8(saved.length - 20) ^ 0xff, saved.length - 20);
      await writeFile(ruleset, saved);
      const spool = path.join(dataDir, 'hits', SEGMENT);
      await writeFile(spool, spoolSegment(redirectId, [3, 5]).subarray(0, -7));

      const product = await startForTest({ dataDir, token });
      await vi.waitFor(async () => expect((await product.visit(HOST, '/')).status).toBe(302));
      await vi.waitFor(() => expect(existsSync(spool)).toBe(false));
      expect(await settledHits(product, redirectId)).toMatchObject({ stored: 3 + 1, duplicated: 0 });
      expect(product.output()).toContain('the saved ruleset was refused and put aside');
      expect(product.output()).toContain('a part of the spool could not be read back');
      expect(await product.end('SIGTERM')).toBe(0);
    }));

  test.each([
    {
      name: 'an empty secret key',
      spoil: async (dataDir: string) => {
        await writeFile(path.join(dataDir, 'secret.key'), '');
        return {};
      },
      says: /^\S+secret\.key does not hold a key.*restore it from a backup, or delete it/,
    },
    {
      name: 'a port that is taken',
      spoil: async () => ({ REDIRECT_PORT: await takenPort() }),
      says: /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use\. Set REDIRECT_PORT to another one\.$/,
    },
  ])('does not start with $name, and says in one line what to do', ({ spoil, says }) =>
    installation.withCopy(async (dataDir) => {
      const attempt = attemptStart({ DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...(await spoil(dataDir)) });
      expect(await attempt.exited).toBe(1);
      expect(attempt.output().trim().split('\n')).toEqual([expect.stringMatching(says)]);
    }),
  );

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends in order by %s in the middle of traffic, with every request answered and every hit stored',
    (signal) =>
      installation.withCopy(async (dataDir) => {
        const { token, redirectId } = installation;
        const stopped = await startForTest({ dataDir, token, environment: { DEFAULT_PLAN: 'business' } });
        const visitors = startVisitors(stopped, HOST);
        const writers = startWriters(stopped);
        await inFullTraffic(visitors, writers);

        const askedAtMs = performance.now();
        expect(await stopped.end(signal)).toBe(0);
        expect(performance.now() - askedAtMs).toBeLessThan(10_000);
        await Promise.all([visitors.stop(), writers.stop()]);
        expect(visitors.outcomes).toMatchObject({ cut: 0, reset: 0 });
        expect(visitors.wrong).toEqual([]);

        const product = await startForTest({ dataDir, token });
        await expectWritten(product, writers);
        const answered = visitors.answeredAtMs.length;
        expect(await settledHits(product, redirectId)).toMatchObject({
          stored: answered,
          recorded: answered,
          duplicated: 0,
          lost: 0,
        });
        expect(await product.end('SIGTERM')).toBe(0);
      }),
  );

  test.each([
    { name: 'Ctrl-C, which reaches the whole group', signal: 'SIGINT', toGroup: true },
    { name: 'SIGTERM to npm alone', signal: 'SIGTERM', toGroup: false },
  ] as const)('leaves nothing behind after npm start and $name', ({ signal, toGroup }) =>
    installation.withCopy(async (dataDir) => {
      const environment = await fixedPorts();
      const attempt = attemptStart({ DATA_DIR: dataDir, ...environment }, ['npm', 'start']);
      const group = attempt.process.pid ?? 0;
      await Promise.race([
        vi.waitFor(() => expect(attempt.output()).toContain('Stop with Ctrl-C.'), {
          interval: 20,
        }),
        attempt.exited.then(() => expect.unreachable(`npm start ended: ${attempt.output()}`)),
      ]);
      expect(groupMembers(group).length).toBeGreaterThanOrEqual(3);

      process.kill(toGroup ? -group : group, signal);
      await vi.waitFor(() => expect(groupMembers(group)).toEqual([]), { interval: 20 });
      for (const name of ['API_PORT', 'REDIRECT_PORT', 'ADMIN_PORT']) {
        expect(await canListenOn(Number(environment[name])), name).toBe(true);
      }
      expect(existsSync(path.join(dataDir, 'waymark.lock'))).toBe(false);
    }),
  );
});

/** A port that is in use until the test ends. */
async function takenPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return String(port);
}
