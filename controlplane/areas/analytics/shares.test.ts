import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shares } from './shares.js';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('shares of a list', () => {
  it.each<[string, number[], number, number[]]>([
    ['nothing', [], 0, []],
    ['no hits', [0, 0], 0, [0, 0]],
    ['thirds, each rounded by itself', [1, 1, 1], 3, [33.33, 33.33, 33.33]],
    ['sixths', [1, 2, 3], 6, [16.67, 33.33, 50]],
    ['a list that is cut', [5, 2], 10, [50, 20]],
  ])('of %s', (_, parts, whole, expected) => {
    expect(shares(parts, whole)).toEqual(expected);
  });

  it('do not all vanish when each is too small to show', () => {
    const small = shares(
      Array.from({ length: 30_000 }, () => 1),
      30_000,
    );
    expect(sum(small)).toBeCloseTo(100, 5);
    expect(small.slice(0, 10_000).every((share) => share === 0.01)).toBe(true);
    expect(small.slice(10_000).every((share) => share === 0)).toBe(true);
  });

  it('add up to 100 for every list, and none is off by a hundredth', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 1000 }),
        (parts) => {
          const whole = sum(parts);
          const found = shares(parts, whole);
          expect(Math.abs(sum(found) - 100)).toBeLessThanOrEqual(0.0501);
          for (const [index, share] of found.entries()) {
            expect(Math.abs(share - (100 * parts[index]!) / whole)).toBeLessThan(0.0101);
          }
        },
      ),
    );
  });
});
