import { describe, expect, it } from 'vitest';
import { createProducerGaps } from './producer-gaps.js';

function lostOf(sequences: readonly number[]): number {
  const gaps = createProducerGaps();
  for (const sequence of sequences) gaps.note({ producerId: 'p', sequence });
  return gaps.lost().total;
}

const many = Array.from({ length: 5_000 }, (_, index) => index + 2);

describe('gaps in the sequence of a producer', () => {
  it.each([
    ['are none in order', [1, 2, 3], 0],
    ['are none from where reading began', [7, 8], 0],
    ['are what was left out', [1, 4, 6], 3],
    ['are not closed by repetitions', [1, 3, 3, 1], 1],
    ['are closed by what comes late', [1, 4, 2, 3], 0],
    ['are closed once', [1, 3, 2, 2], 0],
    ['are counted however wide they are', [1, 5_002], 5_000],
    ['are closed by the latest thousand of a very wide one', [1, 5_002, ...many.slice(-1_200)], 4_000],
  ])('%s', (_, sequences, lost) => {
    expect(lostOf(sequences)).toBe(lost);
  });

  it('are kept apart by producer, and survive that partitions are shared out anew', () => {
    const gaps = createProducerGaps();
    for (const sequence of [1, 3]) gaps.note({ producerId: 'a', sequence });
    for (const sequence of [1, 2]) gaps.note({ producerId: 'b', sequence });
    gaps.beginAnew();
    for (const producerId of ['a', 'b']) gaps.note({ producerId, sequence: 9 });
    expect(gaps.lost()).toEqual({ total: 1, byProducer: new Map([['a', 1]]) });
  });
});
