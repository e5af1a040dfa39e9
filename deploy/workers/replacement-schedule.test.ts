import { expect, onTestFinished, test, vi } from 'vitest';
import { createReplacementSchedule } from './replacement-schedule.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function open() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const roll = vi.fn(async () => true);
  const schedule = createReplacementSchedule({ roll, intervalMs: HOUR_MS, nowMs: Date.now });
  return { roll, schedule };
}

test('requests within an hour lead to one replacement, an hour after the start or the one before', async () => {
  const { roll, schedule } = open();
  schedule.request('soon');
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  schedule.request('soon');
  expect(roll).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(roll).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(roll).toHaveBeenCalledTimes(1);
  schedule.request('soon');
  await vi.advanceTimersByTimeAsync(0);
  expect(roll).toHaveBeenCalledTimes(2);
});

test('an urgent request is met at once, and the next one a minute later', async () => {
  const { roll, schedule } = open();
  schedule.request('soon');
  schedule.request('now');
  await vi.advanceTimersByTimeAsync(0);
  expect(roll).toHaveBeenCalledTimes(1);
  schedule.request('now');
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(roll).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(roll).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(roll).toHaveBeenCalledTimes(2);
});

test('a failed replacement is repeated after a minute, then after twice the time, up to an hour', async () => {
  const { roll, schedule } = open();
  roll.mockResolvedValue(false);
  schedule.request('now');
  await vi.advanceTimersByTimeAsync(0);
  expect(roll).toHaveBeenCalledTimes(1);
  for (const [index, minutes] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    await vi.advanceTimersByTimeAsync(minutes * MINUTE_MS - 1);
    expect(roll).toHaveBeenCalledTimes(index + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(roll).toHaveBeenCalledTimes(index + 2);
  }
  roll.mockResolvedValue(true);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(roll).toHaveBeenCalledTimes(10);
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(roll).toHaveBeenCalledTimes(10);
});

test('nothing is replaced after the end', async () => {
  const { roll, schedule } = open();
  schedule.request('soon');
  schedule.stop();
  schedule.request('now');
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(roll).not.toHaveBeenCalled();
});
