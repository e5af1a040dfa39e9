import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePorts } from '../faults/servers/free-ports.js';
import { startRecorded } from './recorded-process.fixture.js';
import { STATUS, scriptedWorker } from './scripted-worker.fixture.js';
import type { WorkerAssignment } from './worker-assignment.js';
import { createWorkerPool, type PoolEnd } from './worker-pool.js';

type Launched = ReturnType<typeof scriptedWorker> & { readonly assignment: WorkerAssignment };

function openPool({ poolEnd = 'drain' as PoolEnd, redirectPort = 0 } = {}) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'waymark-pool-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const stopping = new AbortController();
  const leaving = new AbortController();
  const launched: Launched[] = [];
  const pool = createWorkerPool({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort,
      redirectWorkers: 2,
      adminHost: '127.0.0.1',
      adminPort: 0,
      dataDir,
      handoverMs: 30_000,
    },
    logger: pino({ level: 'silent' }),
    signal: stopping.signal,
    leaving: leaving.signal,
    poolEnd: () => poolEnd,
    launch(assignment) {
      const scripted = scriptedWorker();
      launched.push({ ...scripted, assignment });
      return scripted.worker;
    },
  });
  onTestFinished(() => pool.stop());
  return { dataDir, pool, stopping, leaving, launched };
}

async function openServingPool(options?: { poolEnd: PoolEnd }) {
  const opened = openPool(options);
  const { pool, launched } = opened;
  const started = pool.start();
  await vi.waitFor(() => expect(launched).toHaveLength(2));
  for (const { serve, answer } of launched) {
    serve();
    answer(STATUS);
  }
  const { adminAddress } = await started;
  const ask = (page: string) => fetch(`http://127.0.0.1:${adminAddress.port}${page}`);
  return { ...opened, ask, former: [...launched] };
}

test('a pool that is stopped while it opens its ports starts no process behind that', async () => {
  const { pool, launched } = openPool();
  const started = expect(pool.start()).rejects.toThrow('stopped before they had started');
  await pool.stop();
  await started;
  expect(launched).toEqual([]);
});

test('a pool whose process is told to end stops without being asked, also while it starts', async () => {
  const { pool, stopping, launched } = openPool();
  const started = expect(pool.start()).rejects.toThrow('stopped before they had started');
  stopping.abort();
  await started;
  expect(launched).toEqual([]);
});

test('a pool that was stopped does not start', async () => {
  const { pool, launched } = openPool();
  await pool.stop();
  await expect(pool.start()).rejects.toThrow('stopped before they had started');
  expect(launched).toEqual([]);
});

test('a pool has started when every process answers visitors, on one port', async () => {
  const { pool, launched } = openPool();
  let hasStarted = false;
  const started = pool.start().finally(() => {
    hasStarted = true;
  });
  await vi.waitFor(() => expect(launched).toHaveLength(2));
  launched[0]!.serve();
  await new Promise(setImmediate);
  expect(hasStarted).toBe(false);
  launched[1]!.serve();
  const { port } = (await started).redirectAddress;
  expect(launched.map(({ assignment }) => assignment)).toEqual([
    { number: 1, redirectPort: port, awaitFeedMs: 0, hasOwnApi: false },
    { number: 2, redirectPort: port, awaitFeedMs: 0, hasOwnApi: false },
  ]);
  for (const { worker } of launched) expect(worker.connect, 'there are no links').not.toHaveBeenCalled();
});

test('links that come before the processes reach them', async () => {
  const { pool, launched } = openPool();
  const links = { createFeed: vi.fn(), sink: undefined, takeReport() {} };
  pool.connect(links);
  void pool.start().catch(() => {});
  await vi.waitFor(() => expect(launched).toHaveLength(2));
  for (const { worker } of launched) expect(worker.connect.mock.calls).toEqual([[links]]);
});

test('a roll replaces one process after another, each when the one before has drained', async () => {
  const { pool, launched, former } = await openServingPool();
  for (const { drainSlowly } of former) drainSlowly();
  const rolled = pool.roll();
  await vi.waitFor(() => expect(launched).toHaveLength(3));
  expect(launched[2]!.assignment).toMatchObject({ number: 1, awaitFeedMs: 3_000 });
  launched[2]!.serve();
  await vi.waitFor(() => expect(former[0]!.worker.stop).toHaveBeenCalledOnce());
  await new Promise((resolve) => setImmediate(resolve));
  expect(launched, 'while the first drains').toHaveLength(3);
  former[0]!.drained();
  await vi.waitFor(() => expect(launched).toHaveLength(4));
  expect(launched[3]!.assignment.number).toBe(2);
  expect(former[1]!.worker.stop).not.toHaveBeenCalled();
  launched[3]!.serve();
  await vi.waitFor(() => expect(former[1]!.worker.stop).toHaveBeenCalledOnce());
  former[1]!.drained();
  expect(await rolled).toBe(true);
});

test('a roll whose new process does not start leaves the others alone', async () => {
  const { pool, launched, former } = await openServingPool();
  const rolled = pool.roll();
  await vi.waitFor(() => expect(launched).toHaveLength(3));
  launched[2]!.end();
  expect(await rolled).toBe(false);
  expect(launched).toHaveLength(3);
  for (const { worker } of former) expect(worker.stop).not.toHaveBeenCalled();
});

test('a roll that is asked for during another one follows it', async () => {
  const { pool, launched } = await openServingPool();
  const first = pool.roll();
  await vi.waitFor(() => expect(launched).toHaveLength(3));
  const second = pool.roll();
  for (const count of [3, 4, 5, 6]) {
    await vi.waitFor(() => expect(launched).toHaveLength(count));
    launched.at(-1)!.serve();
  }
  await Promise.all([first, second]);
  expect(launched.map(({ assignment }) => assignment.number)).toEqual([1, 2, 1, 2, 1, 2]);
});

test('a stop ends a roll: no further process is replaced', async () => {
  const { pool, launched } = await openServingPool();
  const rolled = pool.roll();
  await vi.waitFor(() => expect(launched).toHaveLength(3));
  const stopped = pool.stop();
  launched[2]!.serve();
  await Promise.all([rolled, stopped]);
  expect(launched).toHaveLength(3);
});

test('/healthz is 503 when no process answers, and 200 while one does', async () => {
  const { launched, ask } = await openServingPool();
  expect((await ask('/healthz')).status).toBe(200);
  launched[0]!.answer(undefined);
  expect((await ask('/healthz')).status, 'one is silent').toBe(200);
  launched[1]!.answer(undefined);
  const failing = await ask('/healthz');
  expect(failing.status).toBe(503);
  expect(await failing.json()).toEqual({ status: 'failing' });
});

test('/readyz is 503 from the moment the process is about to stop', async () => {
  const { leaving, ask, launched } = await openServingPool();
  expect((await ask('/readyz')).status).toBe(200);
  leaving.abort();
  const answer = await ask('/readyz');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ ready: false, lastError: 'this process is stopping' });
  expect((await ask('/healthz')).status, 'alive').toBe(200);
  for (const { worker } of launched) expect(worker.stop).not.toHaveBeenCalled();
});

test('/metrics counts the processes that answer, that were restarted, and that hung', async () => {
  const { launched, ask } = await openServingPool();
  launched[1]!.answer(undefined);
  launched[0]!.end(true);
  await vi.waitFor(() => expect(launched).toHaveLength(3));
  const text = await (await ask('/metrics')).text();
  expect(text).toContain('\nwaymark_workers_running 0\n');
  expect(text).toContain('\nwaymark_worker_restarts_total 1\n');
  expect(text).toContain('\nwaymark_workers_hung_total 1\n');
});

test.each([
  { poolEnd: 'drain', stops: 1, handOvers: 0 },
  { poolEnd: 'give-up', stops: 1, handOvers: 0 },
  { poolEnd: 'hand-over', stops: 0, handOvers: 1 },
] as const)(
  'a pool that ends by $poolEnd does so with every process',
  async ({ poolEnd, stops, handOvers }) => {
    const { pool, launched, ask } = await openServingPool({ poolEnd });
    await pool.stop();
    for (const { worker } of launched) {
      expect(worker.stop).toHaveBeenCalledTimes(stops);
      expect(worker.handOver).toHaveBeenCalledTimes(handOvers);
      if (handOvers > 0) expect(worker.handOver).toHaveBeenCalledWith(30_000);
    }
    await expect(ask('/healthz'), 'the admin port is closed').rejects.toThrow();
  },
);

test('the admin port stays open until every process has ended', async () => {
  const { pool, former, ask } = await openServingPool();
  former[1]!.drainSlowly();
  const stopped = pool.stop();
  await vi.waitFor(() => expect(former[1]!.worker.stop).toHaveBeenCalledOnce());
  expect((await ask('/healthz')).status).toBe(200);
  former[1]!.drained();
  await stopped;
});

const onLinux = test.runIf(process.platform === 'linux');

onLinux('workers of an earlier supervisor go on until the whole start has succeeded', async () => {
  const { dataDir, pool, launched } = openPool();
  const former = await startRecorded(dataDir);
  const started = pool.start();
  await vi.waitFor(() => expect(launched).toHaveLength(2));
  for (const { serve } of launched) serve();
  await started;
  expect(former.said()).toBe('up\n');
  pool.takeOver();
  expect(await former.exited).toEqual([0, null]);
});

onLinux('a start that fails leaves the workers of an earlier supervisor alone', async () => {
  const { dataDir, pool, launched } = openPool({ poolEnd: 'give-up' });
  const former = await startRecorded(dataDir);
  const failed = expect(pool.start()).rejects.toThrow('ended');
  await vi.waitFor(() => expect(launched).toHaveLength(2));
  launched[1]!.end();
  await failed;
  await pool.stop();
  expect(former.said()).toBe('up\n');
  expect(former.child.exitCode).toBeNull();
});

onLinux('a pool that drains leaves nothing behind, not even before it has started', async () => {
  const { dataDir, pool } = openPool();
  const former = await startRecorded(dataDir);
  await pool.stop();
  expect(await former.exited).toEqual([0, null]);
});

onLinux('workers that take over a port wait longer for the newest ruleset, and share the port', async () => {
  const [redirectPort = 0] = await freePorts(1);
  const { dataDir, pool, launched } = openPool({ redirectPort });
  await startRecorded(dataDir, 'process.exit(0)', redirectPort);
  const started = pool.start();
  await vi.waitFor(() => expect(launched).toHaveLength(2));
  for (const { serve, assignment } of launched) {
    expect(assignment).toMatchObject({ redirectPort, awaitFeedMs: 20_000 });
    serve();
  }
  expect((await started).redirectAddress).toEqual({ host: '127.0.0.1', port: redirectPort, isShared: true });
});
