import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorkerPulse } from './worker-pulse.js';

function openPulse() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let heldUpMs = 0;
  const ping = vi.fn();
  const onHung = vi.fn();
  const startedAtMs = Date.now();
  const pulse = startWorkerPulse({ ping, onHung, nowMs: () => Date.now() - startedAtMs + heldUpMs });
  return {
    pulse,
    ping,
    onHung,
    /** Blocks the supervisor for this time: no timer fires. */
    holdUp: (durationMs: number) => {
      heldUpMs += durationMs;
    },
  };
}

test('a worker that answers no ping for 10 s is hung, and not before', async () => {
  const { ping, onHung } = openPulse();
  await vi.advanceTimersByTimeAsync(2_001);
  expect(ping).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(9_990);
  expect(ping).toHaveBeenCalledTimes(5);
  expect(onHung).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(20);
  expect(onHung).toHaveBeenCalledOnce();
});

test('a hung worker is reported once and pinged no more', async () => {
  const { ping, onHung } = openPulse();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onHung).toHaveBeenCalledOnce();
  expect(ping).toHaveBeenCalledTimes(5);
});

test('a worker that answers one of five pings is not hung', async () => {
  const { pulse, ping, onHung } = openPulse();
  await vi.advanceTimersByTimeAsync(1);
  for (let round = 0; round < 10; round += 1) {
    await vi.advanceTimersByTimeAsync(10_000);
    pulse.answered();
  }
  expect(ping).toHaveBeenCalledTimes(50);
  expect(onHung).not.toHaveBeenCalled();
});

test('a supervisor that was stopped does not blame the worker for that time', async () => {
  const { pulse, onHung, holdUp } = openPulse();
  await vi.advanceTimersByTimeAsync(10_001);
  holdUp(60_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(onHung, 'at the first beat after the stop').not.toHaveBeenCalled();
  pulse.answered();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(onHung).not.toHaveBeenCalled();
});

test('a worker that still says nothing after the supervisor was stopped is hung at the next beat', async () => {
  const { onHung, holdUp } = openPulse();
  await vi.advanceTimersByTimeAsync(10_001);
  holdUp(60_000);
  await vi.advanceTimersByTimeAsync(4_001);
  expect(onHung).toHaveBeenCalledOnce();
});

test('a stopped pulse pings and reports nothing, even if it was about to', async () => {
  const { pulse, ping, onHung } = openPulse();
  await vi.advanceTimersByTimeAsync(10_001);
  vi.advanceTimersToNextTimer();
  pulse.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ping).toHaveBeenCalledTimes(5);
  expect(onHung).not.toHaveBeenCalled();
  // A remaining timer would keep the supervisor running.
  expect(vi.getTimerCount()).toBe(0);
});
