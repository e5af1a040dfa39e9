import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { createTurnWatch } from './in-turns.js';

let nowMs = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

it('asks for a pause once work has taken a turn, and not again after the pause', async () => {
  const watch = createTurnWatch();
  watch.begin();
  nowMs += 7;
  expect(watch.pause()).toBeUndefined();
  nowMs += 1;
  watch.begin();
  const pause = watch.pause();
  expect(pause).toBeInstanceOf(Promise);
  await pause;
  watch.begin();
  expect(watch.pause()).toBeUndefined();
});

it('does not count time in which others had their turn', async () => {
  const watch = createTurnWatch();
  watch.begin();
  await nextTurn();
  nowMs += 100;
  watch.begin();
  expect(watch.pause()).toBeUndefined();
});
