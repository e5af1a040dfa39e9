import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWindowCounter } from './rate-limit-store.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('a window begins with the first request of its key, and the next one after it has ended', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 10 });
  expect(counter.get('a')).toBeNull();
  expect(counter.consume('a')).toEqual({ count: 1, msBeforeNext: 60_000 });
  vi.advanceTimersByTime(59_999);
  expect(counter.consume('a')).toEqual({ count: 2, msBeforeNext: 1 });
  expect(counter.consume('b')).toEqual({ count: 1, msBeforeNext: 60_000 });
  expect(counter.get('a')).toEqual({ count: 2, msBeforeNext: 1 });
  vi.advanceTimersByTime(1);
  expect(counter.get('a')).toBeNull();
  expect(counter.consume('a')).toEqual({ count: 1, msBeforeNext: 60_000 });
  expect(counter.get('b')).toMatchObject({ count: 1 });
});

it('a full counter forgets only the key whose window ends first', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 3 });
  for (const key of ['a', 'b', 'c']) {
    counter.consume(key);
    vi.advanceTimersByTime(1);
  }
  counter.consume('a');
  counter.consume('d');
  expect(['a', 'b', 'c', 'd'].map((key) => counter.get(key)?.count)).toEqual([undefined, 1, 1, 1]);
});

it('ended windows are removed before open ones', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 2 });
  counter.consume('old');
  vi.advanceTimersByTime(60_000);
  counter.consume('a');
  counter.consume('b');
  expect(['old', 'a', 'b'].map((key) => counter.get(key)?.count)).toEqual([undefined, 1, 1]);
});

it('windows end on time and in order, even if the system clock is set back or forward', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 2 });
  for (const [key, clockMs] of [
    ['a', 7_200_000],
    ['b', 3_600_000],
    ['c', 10_800_000],
  ] as const) {
    vi.setSystemTime(clockMs);
    counter.consume(key);
    vi.advanceTimersByTime(1);
  }
  expect(['a', 'b', 'c'].map((key) => counter.get(key)?.msBeforeNext)).toEqual([undefined, 59_998, 59_999]);
  vi.setSystemTime(0);
  vi.advanceTimersByTime(59_998);
  expect(['a', 'b', 'c'].map((key) => counter.get(key)?.msBeforeNext)).toEqual([undefined, undefined, 1]);
});
