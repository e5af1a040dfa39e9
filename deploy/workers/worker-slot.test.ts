import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { STATUS, scriptedWorker } from './scripted-worker.fixture.js';
import { createWorkerSlot } from './worker-slot.js';

function openSlot({ hasOtherWorkers = true } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const launched: (ReturnType<typeof scriptedWorker> & { othersAnswer: boolean })[] = [];
  const slot = createWorkerSlot({
    launch(othersAnswer) {
      const scripted = scriptedWorker();
      launched.push({ ...scripted, othersAnswer });
      return scripted.worker;
    },
    hasOtherWorkers,
    logger: pino({ level: 'silent' }),
    random: () => 0.5,
  });
  return { slot, launched };
}

async function openServingSlot(options?: { hasOtherWorkers: boolean }) {
  const opened = openSlot(options);
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

test.each([true, false])(
  'a restarted process is told whether others answer meanwhile: %s',
  async (hasOtherWorkers) => {
    const { slot, launched } = await openServingSlot({ hasOtherWorkers });
    launched[0]!.end();
    await vi.advanceTimersByTimeAsync(100);
    launched[1]!.serve();
    const replaced = slot.replace();
    launched[2]!.serve();
    await replaced;
    expect(launched.map(({ othersAnswer }) => othersAnswer)).toEqual([false, hasOtherWorkers, true]);
  },
);

test('the first process is told whether workers of an earlier supervisor answer', () => {
  const { slot, launched } = openSlot();
  void slot.start(true);
  expect(launched[0]!.othersAnswer).toBe(true);
});

test('a replacement ends when the process before has drained', async () => {
  const { slot, launched } = await openServingSlot();
  launched[0]!.drainSlowly();
  let isReplaced = false;
  const replaced = slot.replace().then(() => {
    isReplaced = true;
  });
  launched[1]!.serve();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(launched[0]!.worker.stop).toHaveBeenCalledOnce();
  expect(isReplaced).toBe(false);
  launched[0]!.drained();
  await replaced;
});

test('hung processes are counted and restarted', async () => {
  const { slot, launched } = await openServingSlot();
  expect([slot.hung, slot.restarts]).toEqual([0, 0]);
  launched[0]!.end(true);
  await vi.advanceTimersByTimeAsync(100);
  launched[1]!.end();
  await vi.advanceTimersByTimeAsync(200);
  expect(launched).toHaveLength(3);
  expect([slot.hung, slot.restarts]).toEqual([1, 2]);
});

test('when the supervisor hands over, the process that serves goes on, and is not restarted', async () => {
  const { slot, launched } = await openServingSlot();
  void slot.replace().catch(() => {});
  await slot.handOver(30_000);
  expect(launched[0]!.worker.handOver.mock.calls).toEqual([[30_000]]);
  expect(launched[0]!.worker.stop).not.toHaveBeenCalled();
  expect(launched[1]!.worker.stop, 'the replacement does not serve yet').toHaveBeenCalledOnce();
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched).toHaveLength(2);
});

test('a process that does not serve yet is not handed over', async () => {
  const { slot, launched } = openSlot();
  slot.start(false).catch(() => {});
  await slot.handOver(30_000);
  expect(launched[0]!.worker.handOver).not.toHaveBeenCalled();
  expect(launched[0]!.worker.stop).toHaveBeenCalledOnce();
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
  launched[0]!.answer(STATUS);
  expect(await slot.status()).toBe(STATUS);
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(await slot.status()).toBe('absent');
});

test('a stop ends when every process has ended', async () => {
  const { slot, launched } = await openServingSlot();
  launched[0]!.drainSlowly();
  let isStopped = false;
  const stopped = slot.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStopped).toBe(false);
  launched[0]!.drained();
  await stopped;
});

test('a stop prevents the restart of a process that has just ended', async () => {
  const { slot, launched } = await openServingSlot();
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(50);
  await slot.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(launched).toHaveLength(1);
});

test('every process gets the links: those there are, and those that come later', async () => {
  const { slot, launched } = await openServingSlot();
  expect(launched[0]!.worker.connect).not.toHaveBeenCalled();
  const links = { createFeed: vi.fn(), sink: undefined, takeReport() {} };
  slot.connect(links);
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(launched.map(({ worker }) => worker.connect.mock.calls)).toEqual([[[links]], [[links]]]);
});

test('every process is told where the API is: those there are, and those that come later', async () => {
  const { slot, launched } = await openServingSlot();
  slot.announceApi('http://127.0.0.1:3000');
  launched[0]!.end();
  await vi.advanceTimersByTimeAsync(100);
  expect(launched).toHaveLength(2);
  for (const { worker } of launched) expect(worker.announceApi).toHaveBeenCalledWith('http://127.0.0.1:3000');
});

test('a stop while a replacement starts leaves the former process to the stop', async () => {
  const { slot, launched } = await openServingSlot();
  const replaced = slot.replace();
  const handedOver = slot.handOver(60_000);
  launched[1]!.serve();
  await replaced;
  expect(launched[0]!.worker.stop).not.toHaveBeenCalled();
  launched[0]!.end();
  launched[1]!.end();
  await handedOver;
});
