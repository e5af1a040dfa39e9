import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visitorIdOf } from './chi-square.fixture.js';
import { seedOfVariant } from './draw.js';
import { boundsOf, pickByRange, pickByRendezvous, type RendezvousShare } from './pick.js';

describe('shares laid end to end', () => {
  it.each([
    { percentages: [50, 50], draw: 0, index: 0 },
    { percentages: [50, 50], draw: 0.4999, index: 0 },
    { percentages: [50, 50], draw: 0.5, index: 1 },
    { percentages: [50, 50], draw: 0.9999, index: 1 },
    { percentages: [100, 0], draw: 0.9999, index: 0 },
    { percentages: [0.5, 99.5], draw: 0.004, index: 0 },
    { percentages: [0.5, 99.5], draw: 0.005, index: 1 },
    { percentages: [33.3, 33.3, 33.4], draw: 0.665, index: 1 },
    { percentages: [33.3, 33.3, 33.4], draw: 0.667, index: 2 },
    { percentages: [10, 10, 10], draw: 0.99, index: 2 },
    { percentages: [100], draw: 0.7, index: 0 },
  ])('$draw among $percentages falls into share $index', ({ percentages, draw, index }) => {
    expect(pickByRange(boundsOf(percentages), draw)).toBe(index);
  });
});

const RULE = 7;

function sharesOf(weights: readonly number[]): RendezvousShare[] {
  return weights.map((weight, index) => ({ seed: seedOfVariant(RULE, `variant ${index}`), weight }));
}

const weights = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 2, maxLength: 10 });

describe('rendezvous hashing', () => {
  it('gives a visitor the same variant for any order of the variants', () => {
    fc.assert(
      fc.property(weights, fc.nat(), (someWeights, visitor) => {
        const shares = sharesOf(someWeights);
        const reversed = shares.toReversed();
        const id = visitorIdOf(visitor);
        expect(reversed[pickByRendezvous(reversed, id)]).toBe(shares[pickByRendezvous(shares, id)]);
      }),
    );
  });

  it('moves a visitor only to a variant whose share has grown against that of the one they had', () => {
    const change = weights.chain((before) =>
      fc.tuple(
        fc.constant(before),
        fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), {
          minLength: before.length,
          maxLength: before.length,
        }),
      ),
    );
    fc.assert(
      fc.property(change, fc.nat(), ([before, after], visitor) => {
        const id = visitorIdOf(visitor);
        const from = pickByRendezvous(sharesOf(before), id);
        const to = pickByRendezvous(sharesOf(after), id);
        if (from === to) return;
        expect(after[to]! / before[to]!).toBeGreaterThan(after[from]! / before[from]!);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    { before: [50, 50], after: [60, 40], moved: 0.1 },
    { before: [50, 50], after: [50.5, 49.5], moved: 0.005 },
    { before: [10, 90], after: [90, 10], moved: 0.8 },
    { before: [50, 50], after: [25, 25], moved: 0 },
    { before: [50, 50], after: [50, 50], moved: 0 },
  ])('from $before to $after moves a share of $moved, in one direction', ({ before, after, moved }) => {
    const visitors = 100_000;
    const toFirst = countMoves(sharesOf(before), sharesOf(after), visitors);
    const growing = after[0]! / after[1]! > before[0]! / before[1]!;
    const tolerance = 5 * Math.sqrt((moved * (1 - moved)) / visitors);
    expect(Math.abs((growing ? toFirst.gained : toFirst.lost) / visitors - moved)).toBeLessThanOrEqual(
      tolerance,
    );
    expect(growing ? toFirst.lost : toFirst.gained).toBe(0);
  });

  it('leaves everybody else where they are when a variant is removed', () => {
    const three = sharesOf([30, 30, 40]);
    const two = three.slice(0, 2);
    for (let visitor = 0; visitor < 10_000; visitor += 1) {
      const id = visitorIdOf(visitor);
      const before = pickByRendezvous(three, id);
      if (before !== 2) expect(pickByRendezvous(two, id)).toBe(before);
    }
  });
});

/** How many of the first `visitors` visitors come to the first variant, and how many leave it. */
function countMoves(before: readonly RendezvousShare[], after: readonly RendezvousShare[], visitors: number) {
  let gained = 0;
  let lost = 0;
  for (let visitor = 0; visitor < visitors; visitor += 1) {
    const id = visitorIdOf(visitor);
    const moved = pickByRendezvous(before, id) - pickByRendezvous(after, id);
    if (moved > 0) gained += 1;
    if (moved < 0) lost += 1;
  }
  return { gained, lost };
}
