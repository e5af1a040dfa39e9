import { expect, test, vi } from 'vitest';
import { killAfter } from './kill-after.js';

vi.mock('node:worker_threads', () => ({
  Worker: class {
    constructor() {
      throw new Error('no thread is left');
    }
  },
}));

test('where the system has no thread to give, that is told and the stop goes on', () => {
  const onFailure = vi.fn();
  killAfter(1_000, onFailure);
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error('no thread is left'));
});
