import { expect, it } from 'vitest';
import { decimalOf } from './decimal.js';

it.each([
  ['0', 0],
  ['-0.5', -0.5],
  ['+7', 7],
  ['007', 7],
  ['.5', 0.5],
  ['5.', 5],
  ['9'.repeat(300), 1e300],
])('reads %s as %d', (text, number) => {
  expect(decimalOf(text)).toBe(number);
});

it.each([
  '',
  ' ',
  ' 1',
  '1 ',
  '.',
  '-',
  '1e3',
  '0x10',
  '1,5',
  '1.2.3',
  'Infinity',
  'NaN',
  '1_000',
  '9'.repeat(400),
])('reads no number in %j', (text) => {
  expect(decimalOf(text)).toBeNaN();
});

it.each(['9'.repeat(60_000), `${'9'.repeat(60_000)}x`, `1.${'9'.repeat(60_000)}x`])(
  'takes no ages for digits without end',
  (text) => {
    const startedAtMs = performance.now();
    expect(decimalOf(text)).toBeNaN();
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  },
);
