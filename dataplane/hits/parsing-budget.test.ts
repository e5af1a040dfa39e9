import { expect, it } from 'vitest';
import { createParsingBudget } from './parsing-budget.js';

/** A budget of a tenth of the time on a clock that only work and waiting move. */
function setUp() {
  let nowMs = 0;
  const budget = createParsingBudget({ share: 0.1, burstMs: 20, maxChargeMs: 2, nowMs: () => nowMs });
  const work = (tookMs: number) =>
    budget.spend(() => {
      nowMs += tookMs;
      return 'done';
    });
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { budget, work, wait };
}

it('allows the burst and then its share of the time, however many calls there are', () => {
  const { budget, work, wait } = setUp();
  let done = 0;
  for (let call = 0; call < 10_000; call += 1) {
    if (work(1) === 'done') done += 1;
    wait(1);
  }
  // 20 from the burst. Then 1 ms of work for every 9 ms without it.
  expect(done).toBeGreaterThan(20 + 10_000 / 10 - 20);
  expect(done).toBeLessThan(20 + 10_000 / 8);
  expect(budget.refused()).toBe(10_000 - done);
});

it('saves up no more than the burst', () => {
  const { work, wait } = setUp();
  wait(1_000_000);
  let done = 0;
  while (work(1) === 'done') done += 1;
  expect(done).toBeLessThan(25);
});

it('charges a call that was interrupted with no more than a call can take', () => {
  const { work } = setUp();
  work(1_000);
  expect(work(1)).toBe('done');
});

it('charges also what throws', () => {
  const { budget, work, wait } = setUp();
  for (let call = 0; call < 12; call += 1) {
    expect(() =>
      budget.spend(() => {
        wait(2);
        throw new RangeError('no agent');
      }),
    ).toThrow('no agent');
  }
  expect(work(1)).toBeUndefined();
});
