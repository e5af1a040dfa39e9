import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { liveWithParent } from './worker-life.js';

/** A worker whose supervisor, record and signals are moved by the test. */
function openLife({ isServing = true, handoverMs = undefined as number | undefined } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ends = vi.fn();
  const record = { exists: true, canBeWritten: true, writes: 0 };
  let drain = () => {};
  let lose = () => {};
  let signal = () => {};
  const startedAtMs = Date.now();
  liveWithParent({
    parent: {
      onDrain: (listener) => {
        drain = listener;
      },
      onGone: (listener) => {
        lose = listener;
      },
      handoverMs: () => handoverMs,
    },
    record: {
      exists: async () => record.exists,
      write: async () => {
        record.writes += 1;
        if (!record.canBeWritten) throw new Error('the disk is full');
        record.exists = true;
      },
      remove: async () => {},
    },
    isServing: () => isServing,
    end: ends,
    logger: pino({ level: 'silent' }),
    onSignal: (listener) => {
      signal = listener;
    },
    nowMs: () => Date.now() - startedAtMs,
  });
  return { ends, record, drain: () => drain(), lose: () => lose(), signal: () => signal() };
}

const pass = (durationMs: number) => vi.advanceTimersByTimeAsync(durationMs);

test('a worker with a supervisor ignores signals, and drains when the supervisor says so', async () => {
  const { ends, drain, signal } = openLife();
  signal();
  await pass(10_000_000);
  expect(ends).not.toHaveBeenCalled();
  drain();
  expect(ends).toHaveBeenCalledOnce();
});

test('a serving worker goes on without its supervisor, for an hour', async () => {
  const { ends, lose } = openLife();
  lose();
  await pass(3_599_000);
  expect(ends).not.toHaveBeenCalled();
  await pass(2_000);
  expect(ends).toHaveBeenCalledOnce();
});

test('a supervisor that hands over says for how long', async () => {
  const { ends, lose } = openLife({ handoverMs: 30_000 });
  lose();
  await pass(29_500);
  expect(ends).not.toHaveBeenCalled();
  await pass(1_500);
  expect(ends).toHaveBeenCalledOnce();
});

test('a worker that does not serve yet ends with its supervisor', () => {
  const { ends, lose } = openLife({ isServing: false });
  lose();
  expect(ends).toHaveBeenCalledOnce();
});

test('a worker without a supervisor ends by a signal, once', async () => {
  const { ends, lose, signal } = openLife();
  lose();
  await pass(10);
  signal();
  signal();
  await pass(10_000_000);
  expect(ends).toHaveBeenCalledOnce();
});

test('a signal that comes while the record is looked for ends the worker as well', async () => {
  const { ends, lose, signal } = openLife();
  lose();
  signal();
  await pass(10_000_000);
  expect(ends).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a worker without a supervisor ends within about a second when its record is removed', async () => {
  const { ends, lose, record } = openLife();
  lose();
  await pass(5_000);
  record.exists = false;
  expect(ends).not.toHaveBeenCalled();
  await pass(1_000);
  expect(ends).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a worker that could not be recorded at its start tries again when its supervisor is gone', async () => {
  const { ends, lose, record } = openLife();
  record.exists = false;
  lose();
  await pass(5_000);
  expect(record.writes).toBe(1);
  expect(ends).not.toHaveBeenCalled();
});

test('a worker that nobody could find ends with its supervisor', async () => {
  const { ends, lose, record } = openLife();
  record.exists = false;
  record.canBeWritten = false;
  lose();
  await pass(0);
  expect(ends).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a worker that drains does not start over when its supervisor ends meanwhile', async () => {
  const { ends, drain, lose } = openLife();
  drain();
  lose();
  await pass(10_000_000);
  expect(ends).toHaveBeenCalledOnce();
});
