import { expect, test } from 'vitest';
import { quietTurn } from './quiet-turn.js';

/** A clock that shows these times one after another. */
function clockOf(...timesMs: number[]) {
  let reads = 0;
  return { nowMs: () => timesMs[reads++] ?? Number.NaN, reads: () => reads };
}

test('waits until a turn was short', async () => {
  // Times read by the function: the deadline, then for each turn its start, its end, and the time compared with the
  // deadline.
  const clock = clockOf(0, 1, 3, 3, 3, 8, 8, 8, 8.05);
  await quietTurn(clock.nowMs);
  expect(clock.reads()).toBe(9);
});

test('does not wait for long where no turn is short', async () => {
  const clock = clockOf(0, 1, 30, 30, 30, 60, 60);
  await quietTurn(clock.nowMs);
  expect(clock.reads()).toBe(7);
});

test('lets all that is under way have its turn first', async () => {
  const order: string[] = [];
  const quiet = quietTurn().then(() => order.push('quiet'));
  setImmediate(() => order.push('other'));
  await quiet;
  expect(order).toEqual(['other', 'quiet']);
});
