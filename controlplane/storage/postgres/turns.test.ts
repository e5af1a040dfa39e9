import { expect, it } from 'vitest';
import { createTurns } from './turns.js';

const { signal } = new AbortController();

it('gives the turn of a key to one caller after the other, in order', async () => {
  const turns = createTurns(10);
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3].map(async (caller) => {
      const end = await turns.take('key', signal);
      order.push(caller);
      await new Promise(setImmediate);
      order.push(caller);
      end?.();
    }),
  );
  expect(order).toEqual([1, 1, 2, 2, 3, 3]);
});

it('does not let one key wait for another', async () => {
  const turns = createTurns(0);
  await turns.take('key', signal);
  expect(await turns.take('other', signal)).toBeTypeOf('function');
});

it('refuses callers beyond the queue, until there is room again', async () => {
  const turns = createTurns(1);
  const end = await turns.take('key', signal);
  const second = turns.take('key', signal);
  expect(await turns.take('key', signal)).toBeUndefined();
  end?.();
  (await second)?.();
  expect(await turns.take('key', signal)).toBeTypeOf('function');
});

it('forgets callers that leave the queue', async () => {
  const turns = createTurns(1);
  const end = await turns.take('key', signal);
  const leaving = new AbortController();
  const left = turns.take('key', leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  const second = turns.take('key', signal);
  end?.();
  expect(await second).toBeTypeOf('function');
});
