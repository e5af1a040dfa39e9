import { expect, it } from 'vitest';
import { createGatheredReads, type GatheredReadsOptions } from './gathered-reads.js';

interface Read {
  readonly keys: readonly string[];
  answer(): void;
  fail(error: Error): void;
}

/** Reads that a test answers by hand, each key with its own name in capitals. */
function setUp(options: Partial<GatheredReadsOptions> = {}) {
  const begun: Read[] = [];
  const reads = createGatheredReads<string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const values = keys.filter((key) => key !== 'absent').map((key) => [key, key.toUpperCase()] as const);
        begun.push({ keys, answer: () => resolve(new Map(values)), fail: reject });
      }),
    { maxReadsAtOnce: 1, maxKeysPerRead: 10, ...options },
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { reads, begun, turn };
}

it('the keys of one event-loop turn are read together, each key once', async () => {
  const { reads, begun, turn } = setUp();
  const values = Promise.all(['a', 'b', 'a', 'absent'].map((key) => reads.read(key)));
  await turn();
  expect(begun.map(({ keys }) => keys)).toEqual([['a', 'b', 'absent']]);
  begun[0]!.answer();
  expect(await values).toEqual(['A', 'B', 'A', undefined]);
});

it('a key is read again for a caller that comes after its read has begun', async () => {
  const { reads, begun, turn } = setUp();
  const first = reads.read('a');
  await turn();
  let isSecondAnswered = false;
  const second = reads.read('a').finally(() => {
    isSecondAnswered = true;
  });
  begun[0]!.answer();
  expect(await first).toBe('A');
  await turn();
  expect(isSecondAnswered).toBe(false);
  begun[1]!.answer();
  expect(await second).toBe('A');
});

it('the number of concurrent reads is limited, and waiting keys share the next read', async () => {
  const { reads, begun, turn } = setUp({ maxReadsAtOnce: 2 });
  for (const key of ['a', 'b', 'c', 'd']) {
    void reads.read(key);
    await turn();
  }
  expect(begun.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
  begun[1]!.answer();
  await turn();
  expect(begun.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c', 'd']]);
});

it('a read has no more keys than allowed, and the rest follow', async () => {
  const { reads, begun, turn } = setUp({ maxKeysPerRead: 2 });
  const values = Promise.all(['a', 'b', 'c'].map((key) => reads.read(key)));
  await turn();
  expect(begun.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  begun[0]!.answer();
  await turn();
  begun[1]!.answer();
  expect(await values).toEqual(['A', 'B', 'C']);
});

it('a failed read rejects its own callers, and no later ones', async () => {
  const { reads, begun, turn } = setUp();
  const failing = Promise.allSettled([reads.read('a'), reads.read('b')]);
  await turn();
  const waiting = reads.read('a');
  begun[0]!.fail(new Error('gone'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await turn();
  begun[1]!.answer();
  expect(await waiting).toBe('A');
});
