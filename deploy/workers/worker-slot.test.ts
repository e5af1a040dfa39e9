import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunningWorker, WorkerExit } from './running-worker.js';
import { createWorkerSlot } from './worker-slot.js';

/** A process that serves, ends and drains when the test says so. */
function scriptedWorker(othersAnswer: boolean) {
  let serve = () => {};
  let fail = (_: Error) => {};
  let exit = (_: WorkerExit) => {};
  const ready = new Promise<void>((resolve, reject) => {
    serve = resolve;
    fail = reject;
  });
  ready.catch(() => {});
  const exited = new Promise<WorkerExit>((resolve) => {
    exit = resolve;
  });
  const worker: RunningWorker = {
    pid: 1,
    ready,
    exited,
    connect: vi.fn(),
    announceApi: vi.fn(),
    status: async () => undefined,
    handOver: vi.fn(async () => {}),
    stop: vi.fn(async () => exit({ reason: 'drained', wasHung: false })),
  };
  const end = (wasHung = false) => {
    fail(new Error('ended'));
    exit({ reason: 'SIGKILL', wasHung });
  };
  return { worker, othersAnswer, serve, end };
}

function openSlot() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const launched: ReturnType<typeof scriptedWorker>[] = [];
  const slot = createWorkerSlot({
    launch(othersAnswer) {
      const scripted = scriptedWorker(othersAnswer);
      launched.push(scripted);
      return scripted.worker;
    },
    hasOtherWorkers: true,
    logger: pino({ level: 'silent' }),
    random: () => 0.5,
  });
  return { slot, launched };
}

async function openServingSlot() {
  const opened = openSlot();
  const started = opened.slot.start(false);
  opened.launched[0]!.serve();
  await started;
  return opened;
}

test('a process that ends is started again, after a pause that doubles up to 5 s', async () => {
  const { launched } = await openServingSlot();
  for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
    const before = launched.length;
    launched.at(-1)!.end();
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(launched).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(launched).toHaveLength(before + 1);
  }
});

test('a process that was healthy for long is started again quickly', async () => {
  const { slot, launched } = await openServingSlot();
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(100);
  await vi.advanceTimersByTimeAsync(30_001);
  launched[1]!.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(launched).toHaveLength(3);
  expect(slot.restarts).toBe(2);
});

test('only the first start is made without anybody else who answers', async () => {
  const { launched } = await openServingSlot();
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(launched.map(({ othersAnswer }) => othersAnswer)).toEqual([false, true]);
});

test('a process is drained only when the one that replaces it answers', async () => {
  const { slot, launched } = await openServingSlot();
  const replaced = slot.replace();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched[0]!.worker.stop).not.toHaveBeenCalled();
  launched[1]!.serve();
  await replaced;
  expect(launched[0]!.worker.stop).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched).toHaveLength(2);
});

test('a replacement that does not start leaves the one before alone', async () => {
  const { slot, launched } = await openServingSlot();
  const replaced = slot.replace();
  launched[1]!.end();
  await expect(replaced).rejects.toThrow('ended');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched[0]!.worker.stop).not.toHaveBeenCalled();
  expect(launched).toHaveLength(2);
});

test('of a restart and a replacement at the same time one process remains', async () => {
  const { slot, launched } = await openServingSlot();
  const replaced = slot.replace();
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(launched).toHaveLength(3);
  launched[1]!.serve();
  await replaced;
  expect(launched[2]!.worker.stop).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched).toHaveLength(3);
});

test('stopping drains every process and starts none', async () => {
  const { slot, launched } = await openServingSlot();
  const replaced = slot.replace().catch(() => {});
  await slot.stop();
  for (const { worker } of launched) expect(worker.stop).toHaveBeenCalledOnce();
  launched[1]!.end();
  await replaced;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched).toHaveLength(2);
});

test('a process that does not answer visitors yet counts as absent, one that says nothing as silent', async () => {
  const { slot, launched } = openSlot();
  const started = slot.start(false);
  expect(await slot.status()).toBe('absent');
  launched[0]!.serve();
  await started;
  expect(await slot.status()).toBe('silent');
});

test('every process is told where the API is: those there are, and those that come later', async () => {
  const { slot, launched } = await openServingSlot();
  slot.announceApi('http://127.0.0.1:3000');
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(launched).toHaveLength(2);
  for (const { worker } of launched) expect(worker.announceApi).toHaveBeenCalledWith('http://127.0.0.1:3000');
});
