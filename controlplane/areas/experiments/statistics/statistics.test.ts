import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { comparison } from './comparison.js';
import { type Counts, differenceOf, liftOf } from './difference.js';
import { logGamma } from './log-gamma.js';
import { neededVisitors } from './needed-visitors.js';
import { probabilityBest } from './probability-best.js';
import { rateInterval } from './rate-interval.js';
import { differenceOfValues, meanOf, type Values, valueDifference, valueInterval } from './revenue.js';
import { logBayesFactor, sampleRatio } from './sample-ratio.js';
import { sequentialInterval, sequentialPValue } from './sequential.js';

interface Expectation {
  readonly value: number;
  readonly variance: number;
  readonly interval: readonly [number, number];
  readonly p: number;
}
type Pair = readonly [visitors: number, conversions: number];
type Sums = readonly [visitors: number, sum: number, squares: number, cubes: number];

/** Values of other implementations. The file names them with their versions. */
const expected: {
  readonly sequential: readonly (Readonly<Record<string, Expectation>> & {
    readonly baseline: Pair;
    readonly variant: Pair;
  })[];
  readonly wilson: readonly (readonly [number, number, number, number])[];
  readonly ssrm: readonly (readonly [number[], number[], number])[];
  readonly best: readonly (readonly [Pair[], number[]])[];
  readonly revenue: readonly (readonly [
    ...sums: Sums,
    alpha: number,
    mean: number,
    variance: number,
    interval: readonly [number, number] | null,
  ])[];
  readonly revenueDifference: readonly (readonly [
    baseline: Sums,
    variant: Sums,
    alpha: number,
    difference: number,
    variance: number,
    interval: readonly [number, number],
  ])[];
  readonly gamma: readonly (readonly [number, number])[];
  readonly needed: readonly (readonly [number, number, number, number, number, number])[];
} = JSON.parse(readFileSync('controlplane/areas/experiments/statistics/expected-values.json', 'utf8'));

const valuesOf = ([visitors, valueSum, valueSquares, valueCubes]: Sums): Values => ({
  visitors,
  valueSum,
  valueSquares,
  valueCubes,
});
const counts = ([visitors, conversions]: Pair): Counts => ({ visitors, conversions });

function expectNear(value: number, wanted: number, relative = 1e-9): void {
  expect(Math.abs(value - wanted), `${value} is not ${wanted}`).toBeLessThanOrEqual(
    1e-12 + relative * Math.abs(wanted),
  );
}

function expectInterval(
  own: readonly [number, number] | null,
  wanted: readonly [number, number] | null,
): void {
  expect(own === null).toBe(wanted === null);
  own?.forEach((bound, index) => {
    expectNear(bound, wanted![index]!, 1e-8);
  });
}

describe('the statistics agree with other implementations', () => {
  it.each(expected.gamma)('scipy: the logarithm of the gamma function of %d', (x, value) => {
    expect(logGamma(x)).toBeCloseTo(value, 12 - Math.ceil(Math.log10(1 + Math.abs(value))));
  });

  it.each(expected.wilson)('scipy: Wilson interval of %d of %d', (conversions, visitors, low, high) => {
    const [ownLow, ownHigh] = rateInterval(conversions, visitors);
    expect(ownLow).toBeCloseTo(low, 12);
    expect(ownHigh).toBeCloseTo(high, 12);
  });

  it.each(expected.sequential.map((row) => [row.baseline, row.variant, row] as const))(
    'gbstats: confidence sequences and p-values of %j against %j',
    (baseline, variant, row) => {
      for (const [kind, estimate] of [
        ['absolute', differenceOf(counts(baseline), counts(variant))],
        ['relative', liftOf(counts(baseline), counts(variant))],
      ] as const) {
        for (const alpha of [0.05, 0.025]) {
          const wanted = row[`${kind} ${alpha}`]!;
          expectNear(estimate.value, wanted.value);
          expectNear(estimate.variance, wanted.variance);
          const [low, high] = sequentialInterval(estimate, alpha);
          expectNear(low, wanted.interval[0]);
          expectNear(high, wanted.interval[1]);
          expectNear(sequentialPValue(estimate, alpha), wanted.p);
        }
      }
    },
  );

  it.each(expected.ssrm)('ssrm-test: sample ratio of %j with the weights %j', (visitors, weights, p) => {
    expectNear(Math.min(1, Math.exp(-logBayesFactor(visitors, weights, 10_000))), p, 1e-6);
  });

  it.each(expected.best)('scipy: probability to be best of %j', (pairs, wanted) => {
    probabilityBest(pairs.map(counts)).forEach((share, index) => {
      expect(Math.abs(share - wanted[index]!)).toBeLessThan(1e-4);
    });
  });

  it.each(expected.revenue)(
    'scipy: confidence sequence of the value per visitor: %d visitors, sums %d, %d and %d',
    (visitors, sum, squares, cubes, alpha, mean, variance, interval) => {
      const values = valuesOf([visitors, sum, squares, cubes]);
      const estimate = meanOf(values)!;
      expectNear(estimate.value, mean);
      expectNear(estimate.variance, variance);
      expectInterval(valueInterval(values, alpha), interval);
    },
  );

  it.each(expected.revenueDifference)(
    'gbstats: confidence sequence of the difference of values: %j against %j, alpha %d',
    (baseline, variant, alpha, difference, variance, interval) => {
      expectNear(differenceOfValues(valuesOf(baseline), valuesOf(variant))!.variance, variance);
      const own = valueDifference(valuesOf(baseline), valuesOf(variant), alpha);
      expectNear(own.difference, difference);
      expectInterval(own.differenceInterval, interval);
    },
  );

  it.each(expected.needed)(
    'scipy: visitors needed for a rate of %d and an effect of %d',
    (rate, effect, baseline, variant, alpha, visitors) => {
      expect(neededVisitors({ rate, effect, shares: [baseline, variant], alpha })).toBe(Math.ceil(visitors));
    },
  );
});

describe('a comparison', () => {
  const contains0 = (interval: readonly [number, number] | null) =>
    interval === null || (interval[0] <= 0 && interval[1] >= 0);

  it.each([0.05, 0.025])(
    'has 0 in the interval of the difference unless its p-value is below %d',
    (alpha) => {
      const seen = new Set<string>();
      for (const visitors of [50, 100, 400, 2_000, 20_000]) {
        for (let converted = 0; converted <= 40; converted += 1) {
          const baseline = { visitors, conversions: visitors / 10 };
          const variant = { visitors: visitors / 2, conversions: Math.round((visitors * converted) / 80) };
          const { differenceInterval, liftInterval, pValue } = comparison(baseline, variant, alpha);
          expect(contains0(differenceInterval), `${visitors} ${converted}`).toBe(pValue >= alpha);
          seen.add(`p ${pValue < alpha}, lift ${contains0(liftInterval)}`);
        }
      }
      // The interval of the lift is an approximation with another variance.
      expect([...seen].sort()).toEqual([
        'p false, lift false',
        'p false, lift true',
        'p true, lift false',
        'p true, lift true',
      ]);
    },
  );
});

describe('revenue', () => {
  const NOTHING: Values = { visitors: 0, valueSum: 0, valueSquares: 0, valueCubes: 0 };

  it.each([
    ['no visitors', NOTHING],
    ['one visitor', { visitors: 1, valueSum: 5, valueSquares: 25, valueCubes: 125 }],
    ['no values', { ...NOTHING, visitors: 10_000 }],
    ['equal values', { visitors: 300, valueSum: 30, valueSquares: 3, valueCubes: 0.3 }],
    ['one buyer', { visitors: 9_000, valueSum: 50, valueSquares: 2_500, valueCubes: 125_000 }],
  ])('has no interval with %s', (_, values) => {
    expect(valueInterval(values, 0.05)).toBeNull();
    expect(valueDifference({ ...NOTHING, visitors: 10 }, values, 0.05).differenceInterval).toBeNull();
  });
});

describe('the sample ratio', () => {
  it.each([
    [[700, 400], [50, 50], false],
    [[40, 5], [50, 50], false],
    [[5_600, 5_000], [50, 50], false],
    [[520, 480], [50, 50], true],
    [[905, 95], [90, 10], true],
    [[0, 0], [50, 50], true],
    [[60_500, 20_300, 19_800], [60, 20, 20], true],
  ])('of %j with the weights %j is as expected: %s', (visitors, weights, ok) => {
    expect(sampleRatio(visitors, weights).ok).toBe(ok);
  });
});
