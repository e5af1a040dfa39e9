import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAfterAnswer, MAX_DELAY_MS } from './after-answer.js';

const logger = pino({ level: 'silent' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('work after an answer', () => {
  it('begins at moments that differ, none at once, and all within the limit', async () => {
    const startMs = Date.now();
    const begunMs: number[] = [];
    const after = createAfterAnswer(logger);
    for (let count = 0; count < 200; count += 1) {
      after.run('a test', async () => void begunMs.push(Date.now() - startMs));
    }
    await Promise.resolve();
    expect(begunMs).toEqual([]);
    await vi.advanceTimersByTimeAsync(MAX_DELAY_MS / 2);
    const early = begunMs.length;
    expect(early).toBeGreaterThan(40);
    expect(early).toBeLessThan(160);
    await vi.advanceTimersByTimeAsync(MAX_DELAY_MS / 2);
    expect(begunMs).toHaveLength(200);
    expect(new Set(begunMs).size).toBeGreaterThan(100);
  });

  it('begins at once when the process stops, and is waited for', async () => {
    const after = createAfterAnswer(logger);
    const done: number[] = [];
    for (let count = 0; count < 3; count += 1) after.run('a test', async () => void done.push(1));
    await after.settle();
    expect(done).toHaveLength(3);
  });

  it('is dropped while a thousand wait, and taken again later', async () => {
    const after = createAfterAnswer(logger);
    const done: number[] = [];
    for (let count = 0; count < 1_001; count += 1) after.run('a test', async () => void done.push(1));
    await after.settle();
    expect(done).toHaveLength(1_000);
    after.run('a test', async () => void done.push(1));
    await after.settle();
    expect(done).toHaveLength(1_001);
  });

  it('that fails does not keep the next one from being done', async () => {
    const after = createAfterAnswer(logger);
    const done: number[] = [];
    after.run('a test', () => Promise.reject(new Error('refused')));
    after.run('a test', async () => void done.push(1));
    await after.settle();
    expect(done).toHaveLength(1);
  });
});
