import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWindowCounter } from './window-counter.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('a window begins with the first request of its key, and the next one after it has ended', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 10 });
  expect(counter.get('a')).toBeNull();
  expect(counter.consume('a')).toEqual({ count: 1, msBeforeNext: 60_000 });
  vi.setSystemTime(60_999);
  expect(counter.consume('a')).toEqual({ count: 2, msBeforeNext: 1 });
  expect(counter.consume('b')).toEqual({ count: 1, msBeforeNext: 60_000 });
  expect(counter.get('a')).toEqual({ count: 2, msBeforeNext: 1 });
  vi.setSystemTime(61_000);
  expect(counter.get('a')).toBeNull();
  expect(counter.consume('a')).toEqual({ count: 1, msBeforeNext: 60_000 });
  expect(counter.get('b')).toMatchObject({ count: 1 });
});

it('with more keys than it has room for it forgets the one whose window would end first, and no other', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 3 });
  for (const key of ['a', 'b', 'c']) {
    counter.consume(key);
    vi.setSystemTime(Date.now() + 1);
  }
  counter.consume('a');
  counter.consume('d');
  expect(['a', 'b', 'c', 'd'].map((key) => counter.get(key)?.count)).toEqual([undefined, 1, 1, 1]);
});

it('what has ended makes room first', () => {
  const counter = createWindowCounter({ windowMs: 60_000, maxWindows: 2 });
  counter.consume('old');
  vi.setSystemTime(61_000);
  counter.consume('a');
  counter.consume('b');
  expect(['old', 'a', 'b'].map((key) => counter.get(key)?.count)).toEqual([undefined, 1, 1]);
});
