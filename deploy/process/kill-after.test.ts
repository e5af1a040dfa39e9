import type { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { killAfter } from './kill-after.js';

const NoThread = class {
  constructor() {
    throw new Error('no thread is left');
  }
} as unknown as typeof Worker;

test('a failure to start the thread is reported, and the stop continues', () => {
  const onFailure = vi.fn();
  killAfter(1_000, onFailure, NoThread);
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error('no thread is left'));
});
