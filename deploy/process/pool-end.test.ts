import { expect, test } from 'vitest';
import { poolEndAfter } from './pool-end.js';

test.each([
  ['SIGTERM', true, 0, 'drain'],
  ['SIGTERM', false, 0, 'drain'],
  ['SIGTERM', true, 60_000, 'hand-over'],
  ['SIGTERM', false, 60_000, 'give-up'],
  ['SIGINT', true, 60_000, 'drain'],
  ['SIGINT', false, 60_000, 'drain'],
  ['error', true, 0, 'hand-over'],
  ['error', false, 0, 'give-up'],
  ['error', true, 60_000, 'hand-over'],
  ['failed-start', false, 0, 'give-up'],
  ['failed-start', false, 60_000, 'give-up'],
] as const)(
  'after %s (start succeeded: %s, handover %i ms) workers %s',
  (cause, isWhole, handoverMs, end) => {
    expect(poolEndAfter(cause, isWhole, handoverMs)).toBe(end);
  },
);

test('the first process of a container does not hand over: the kernel ends its workers with it', () => {
  expect(poolEndAfter('SIGTERM', true, 60_000, 1)).toBe('drain');
  expect(poolEndAfter('error', true, 0, 1)).toBe('drain');
});
