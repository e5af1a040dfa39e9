import { expect, test } from 'vitest';
import { allEnded } from './all-ended.js';

test('waits for the end of all, and then tells of all that failed', async () => {
  let finish = () => {};
  let isOver = false;
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const ended = allEnded([
    Promise.reject(new Error('one')),
    slow,
    undefined,
    Promise.reject(new Error('two')),
  ]).finally(() => {
    isOver = true;
  });
  const failure = expect(ended).rejects.toThrow('one; two');
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  finish();
  await failure;
});

test('has nothing to tell where all went well', async () => {
  expect(await allEnded([Promise.resolve(1), undefined])).toBeUndefined();
});
