import { expect, test } from 'vitest';
import { createCoalescer } from './coalescer.js';

/** Rounds that end when they are told to. */
function createRounds() {
  const ends: (() => void)[] = [];
  const flight = createCoalescer(() => new Promise((resolve) => ends.push(resolve)));
  return { flight, ends };
}

const turn = () => new Promise(setImmediate);

/** Whether `work` has ended by the next turn. */
const hasEnded = async (work: Promise<void>) =>
  Promise.race([work.then(() => true), turn().then(() => false)]);

test('requests during a round share the one after it', async () => {
  const { flight, ends } = createRounds();
  const first = flight.request();
  await turn();
  const second = flight.request();
  const third = flight.request();
  await turn();
  expect(ends).toHaveLength(1);

  ends[0]?.();
  await first;
  await turn();
  expect(ends, 'one more round for both').toHaveLength(2);
  expect(await hasEnded(second)).toBe(false);

  ends[1]?.();
  await Promise.all([second, third]);
  await turn();
  expect(ends).toHaveLength(2);
});

test('a request after a round has one of its own', async () => {
  const { flight, ends } = createRounds();
  for (const round of [1, 2, 3]) {
    const request = flight.request();
    await turn();
    expect(ends).toHaveLength(round);
    ends.at(-1)?.();
    await request;
  }
});

test('no round begins once it is stopped, and nobody waits for one', async () => {
  const { flight, ends } = createRounds();
  const first = flight.request();
  await turn();
  const second = flight.request();
  const stopped = flight.stop();
  expect(await hasEnded(stopped), 'while a round is under way').toBe(false);

  ends[0]?.();
  await Promise.all([first, second, stopped]);
  await flight.request();
  expect(ends).toHaveLength(1);
});
