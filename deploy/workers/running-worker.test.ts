import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';

import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { isPidInUse } from '../../shared/process/process-mark.js';
import type { RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import { freePorts } from '../faults/servers/free-ports.js';
import { workersDirectory } from './worker-record.js';

// Use the compiled module, because the program that it starts is in the same folder.
const { startWorker }: typeof import('./running-worker.js') = await import(
  path.join(packageRoot(), 'dist', 'deploy', 'workers', 'running-worker.js')
);

const logged = vi.fn();
const logger = pino({ level: 'error' }, { write: logged });

async function openWorker({ spoil = async (_: string) => {}, awaitFeedMs = 0 } = {}) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'waymark-worker-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  await spoil(dataDir);
  const [redirectPort = 0] = await freePorts(1);
  const variables = {
    DATA_DIR: dataDir,
    REDIRECT_HOST: '127.0.0.1',
    LOG_LEVEL: 'fatal',
    STRIPE_SECRET_KEY: 'sk_test_secret',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const assignment = { number: 1, redirectPort, awaitFeedMs, hasOwnApi: false };
  const worker = startWorker(assignment, dataDir, logger);
  const pid = worker.pid ?? 0;
  onTestFinished(() => {
    if (isPidInUse(pid)) process.kill(pid, 'SIGKILL');
  });
  const visit = () => fetch(`http://127.0.0.1:${redirectPort}/`).then(({ status }) => status);
  return { worker, pid, dataDir, visit };
}

/** A feed with an empty ruleset. */
function emptyFeed() {
  let listener: RulesetFeedListener | undefined;
  const sendSnapshot = () => listener?.onSnapshot({ version: { epoch: 1, seq: 1 }, redirects: [] });
  const stop = vi.fn();
  const feed = {
    start(started: RulesetFeedListener) {
      listener = started;
      sendSnapshot();
    },
    requestSnapshot: sendSnapshot,
    stop,
  };
  return { createFeed: () => feed, sink: { deliver: async () => {} }, takeReport: vi.fn(), stop };
}

describe.runIf(process.platform === 'linux')('a worker', () => {
  test('serves what it is connected to, reports, and leaves no record when it is stopped', async () => {
    const { worker, dataDir, pid, visit } = await openWorker();
    await worker.ready;
    expect(await visit(), 'without a ruleset').toBe(503);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).toContain(`DATA_DIR=${dataDir}`);
    expect(environment).not.toContain('STRIPE_SECRET_KEY');
    const links = emptyFeed();
    worker.connect(links);
    await vi.waitFor(async () => expect(await visit()).toBe(404));
    expect((await worker.status())?.readiness).toMatchObject({ ready: true, version: '1.1' });
    await vi.waitFor(() => expect(links.takeReport).toHaveBeenCalled());
    expect(readdirSync(workersDirectory(dataDir))).toEqual([`${pid}.json`]);

    const stopped = worker.stop();
    expect(await worker.exited).toEqual({ reason: 'exit code 0', wasHung: false });
    await stopped;
    expect(links.stop).toHaveBeenCalledOnce();
    expect(readdirSync(workersDirectory(dataDir))).toEqual([]);
  });

  test('listens only when it has the newest ruleset where others answer meanwhile', async () => {
    const { worker, visit } = await openWorker({ awaitFeedMs: 250_000 });
    await vi.waitFor(async () => expect((await worker.status())?.readiness.ready).toBe(false));
    await expect(visit()).rejects.toThrow();
    worker.connect(emptyFeed());
    await worker.ready;
    expect(await visit()).toBe(404);
    await worker.stop();
  });

  test('that waits for a ruleset can be stopped at once', async () => {
    const { worker } = await openWorker({ awaitFeedMs: 250_000 });
    await vi.waitFor(async () => expect(await worker.status()).toBeDefined());
    const askedAtMs = performance.now();
    await worker.stop();
    expect(performance.now() - askedAtMs).toBeLessThan(60_000);
    await expect(worker.ready).rejects.toThrow('drained before it had started');
  });

  test('that cannot start says why', async () => {
    const { worker, dataDir } = await openWorker({
      spoil: async (folder) => {
        await mkdir(folder, { recursive: true });
        await writeFile(path.join(folder, 'secret.key'), '');
      },
    });
    await expect(worker.ready).rejects.toThrow('does not hold a key');
    expect((await worker.exited).wasHung).toBe(false);
    expect(readdirSync(dataDir)).not.toContain('workers');
  });

  test('that hangs is killed after 10 s, and its record is removed', async () => {
    const { worker, pid, dataDir } = await openWorker();
    await worker.ready;
    await vi.waitFor(async () => expect(await worker.status()).toBeDefined());
    process.kill(pid, 'SIGSTOP');
    const stoppedAtMs = performance.now();
    expect(await worker.status(), 'it says nothing').toBeUndefined();
    expect(await worker.exited).toEqual({ reason: expect.stringContaining('it hung'), wasHung: true });
    const silentMs = performance.now() - stoppedAtMs;
    expect(silentMs).toBeGreaterThan(8_000);
    expect(silentMs).toBeLessThan(60_000);
    expect(logged.mock.calls.join()).toContain('has not answered for 10 s; killing it');
    await vi.waitFor(() => expect(readdirSync(workersDirectory(dataDir))).toEqual([]));
  });

  test('that answers is not killed, however long it runs', async () => {
    const { worker } = await openWorker();
    await worker.ready;
    const outcome = await Promise.race([
      worker.exited,
      new Promise((resolve) => setTimeout(resolve, 14_000, 'running')),
    ]);
    expect(outcome).toBe('running');
    await worker.stop();
  });

  test('that is handed over goes on serving for as long as it was told', async () => {
    const { worker, pid, visit } = await openWorker();
    await worker.ready;
    const links = emptyFeed();
    worker.connect(links);
    await vi.waitFor(async () => expect(await visit()).toBe(404));
    await worker.handOver(2_000);
    expect(links.stop).toHaveBeenCalledOnce();
    expect(await worker.status(), 'it is not connected').toBeUndefined();
    expect(await visit()).toBe(404);
    expect(isPidInUse(pid)).toBe(true);
    expect(await worker.exited).toEqual({ reason: 'exit code 0', wasHung: false });
  });

  test('that never got a ruleset ends instead of being handed over', async () => {
    const { worker } = await openWorker();
    await worker.ready;
    await worker.handOver(600_000);
    expect(await worker.exited).toEqual({ reason: 'exit code 0', wasHung: false });
  });
});
