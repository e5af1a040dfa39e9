import { expect, test } from 'vitest';
import { FAILURE_CODES, RETRY_RULES, retryDelaySeconds } from './failures.js';

const HOUR = 3_600;

test.each(FAILURE_CODES)('%s waits longer with each failure, and then the same time', (code) => {
  const { delaysSeconds } = RETRY_RULES[code];
  expect(delaysSeconds).toEqual(delaysSeconds.toSorted((a, b) => a - b));
  const last = delaysSeconds.at(-1) ?? 0;
  expect(retryDelaySeconds({ code }, 1_000, 0.5)).toBe(last);
  expect(retryDelaySeconds({ code }, 1, 0)).toBeCloseTo(delaysSeconds[0] * 0.9);
  expect(retryDelaySeconds({ code }, 1, 1)).toBeCloseTo(delaysSeconds[0] * 1.1);
});

test('failed validations stay below five an hour and 1,152 in three years', () => {
  let seconds = 0;
  let inFirstHour = 1;
  let count = 1;
  for (; seconds < 3 * 365 * 24 * HOUR; count += 1) {
    seconds += retryDelaySeconds({ code: 'VALIDATION_FAILED' }, count, 0);
    if (seconds < HOUR) inFirstHour += 1;
  }
  expect(inFirstHour).toBeLessThan(5);
  expect(count).toBeLessThan(1_300);
});

test('an authority that asks for a longer wait gets it, within a week', () => {
  const asks = (retryAfterSeconds: number) =>
    retryDelaySeconds({ code: 'RATE_LIMITED', retryAfterSeconds }, 1, 0.5);
  expect(asks(10)).toBe(HOUR);
  expect(asks(2 * HOUR)).toBeCloseTo(2.1 * HOUR);
  expect(asks(10 ** 9)).toBeLessThan(8 * 24 * HOUR);
});
