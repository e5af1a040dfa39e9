import { expect, test } from 'vitest';
import { settledWithin } from './deadline.js';

const LONG_MS = 600_000;

test('tells whether work is done in time', async () => {
  expect(await settledWithin(LONG_MS, Promise.resolve('done'))).toBe(true);
  expect(await settledWithin(1, new Promise(() => {}))).toBe(false);
});

test('throws what fails in time, and leaves alone what fails later', async () => {
  await expect(settledWithin(LONG_MS, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  let fail = (_: Error) => {};
  const work = new Promise((_resolve, reject) => {
    fail = reject;
  });
  expect(await settledWithin(1, work)).toBe(false);
  fail(new Error('too late'));
  await new Promise(setImmediate);
});
