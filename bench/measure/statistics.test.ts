import { describe, expect, it } from 'vitest';
import { median, medianRatio, percentile } from './statistics.js';

describe('median', () => {
  it.each([
    { values: [], expected: undefined },
    { values: [7], expected: 7 },
    { values: [9, 1, 5], expected: 5 },
    { values: [10, 2, 4, 100], expected: 7 },
  ])('of $values is $expected', ({ values, expected }) => {
    expect(median(values)).toBe(expected);
  });

  it('leaves its argument as it was', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('percentile', () => {
  const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    { share: 0, expected: 1 },
    { share: 0.5, expected: 50 },
    { share: 0.99, expected: 99 },
    { share: 1, expected: 100 },
  ])('at $share of 1 to 100 is $expected', ({ share, expected }) => {
    expect(percentile(oneToHundred, share)).toBe(expected);
  });

  it('of nothing is nothing', () => {
    expect(percentile([], 0.5)).toBeUndefined();
  });
});

describe('the median ratio', () => {
  it('compares within each round, so that a slow round cancels out', () => {
    expect(medianRatio([10, 30, 11], [10, 30, 10])).toBe(1);
  });

  it('passes over rounds in which one of the two was not measured', () => {
    expect(medianRatio([10, undefined, 20], [5, 5, undefined])).toBe(2);
  });

  it('is nothing when no round has both', () => {
    expect(medianRatio([undefined], [5])).toBeUndefined();
  });
});
