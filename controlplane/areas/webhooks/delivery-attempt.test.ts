import { expect, test } from 'vitest';
import { retryDelaySeconds } from './delivery-attempt.js';

/** Returns the delays of a message that no endpoint accepts. */
function delays(random: number): number[] {
  const all: number[] = [];
  for (;;) {
    const delay = retryDelaySeconds(all.length + 1, random);
    if (delay === undefined) return all;
    all.push(delay);
  }
}

test('the first attempts follow each other closely, and each pause is at least as long as the one before', () => {
  const all = delays(0.5);
  expect(all.slice(0, 3)).toEqual([5, 60, 300]);
  expect(all).toEqual([...all].sort((one, other) => one - other));
});

test('a message is given up after about three days', () => {
  const days = (random: number) => delays(random).reduce((sum, delay) => sum + delay, 0) / 86_400;
  expect(days(0.5)).toBeCloseTo(3, 1);
  expect(days(0)).toBeGreaterThan(2.6);
  expect(days(1)).toBeLessThan(3.4);
});

test('chance moves each pause by up to a tenth', () => {
  expect(retryDelaySeconds(2, 0)).toBeCloseTo(54);
  expect(retryDelaySeconds(2, 1)).toBeCloseTo(66);
});

test.each([
  ['a longer pause than the schedule has is kept', 1, 600, 600],
  ['a shorter one is not', 3, 60, 300],
  ['more than an hour is not waited', 1, 86_400, 3_600],
  ['asking does not make attempts go on', 11, 60, undefined],
])('of what an endpoint asks for, %s', (_what, attemptNumber, askedSeconds, seconds) => {
  expect(retryDelaySeconds(attemptNumber, 0.5, askedSeconds)).toBe(seconds);
});
