import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../shared/process/seeded-random.fixture.js';
import { comparison } from './comparison.js';
import { neededVisitors } from './needed-visitors.js';
import { rateInterval } from './rate-interval.js';
import { type Values, valueDifference, valueInterval } from './revenue.js';
import { sampleRatio } from './sample-ratio.js';

/** Successes among so many attempts. Skips failures by geometric gaps, which makes small rates cheap. */
function binomial(random: () => number, attempts: number, rate: number): number {
  const logOfFailure = Math.log1p(-rate);
  let successes = 0;
  let place = Math.floor(Math.log(1 - random()) / logOfFailure);
  while (place < attempts) {
    successes += 1;
    place += 1 + Math.floor(Math.log(1 - random()) / logOfFailure);
  }
  return successes;
}

interface Looks {
  readonly rates: readonly [number, number];
  /** New visitors of each variant between two looks. */
  readonly perLook: readonly [number, number];
  readonly looks: number;
}

/** Returns the first look at which the test says "different"; undefined when it never does. */
function firstFinding(random: () => number, { rates, perLook, looks }: Looks): number | undefined {
  const baseline = { visitors: 0, conversions: 0 };
  const variant = { visitors: 0, conversions: 0 };
  for (let look = 1; look <= looks; look += 1) {
    baseline.visitors += perLook[0];
    baseline.conversions += binomial(random, perLook[0], rates[0]);
    variant.visitors += perLook[1];
    variant.conversions += binomial(random, perLook[1], rates[1]);
    if (comparison(baseline, variant, 0.05).pValue < 0.05) return look;
  }
  return undefined;
}

function shareOfFindings(seed: number, trials: number, looks: Looks): number {
  const random = seededRandom(seed);
  let findings = 0;
  for (let trial = 0; trial < trials; trial += 1) {
    if (firstFinding(random, looks) !== undefined) findings += 1;
  }
  return findings / trials;
}

/** Returns values of visitors: a share of them buys, for log-normal amounts. */
interface Buying {
  readonly sigma: number;
  readonly rate: number;
}

const newValues = () => ({ visitors: 0, valueSum: 0, valueSquares: 0, valueCubes: 0 });

function addVisitors(
  values: { -readonly [Name in keyof Values]: number },
  random: () => number,
  visitors: number,
  { sigma, rate }: Buying,
): void {
  values.visitors += visitors;
  const buyers = binomial(random, visitors, rate);
  for (let buyer = 0; buyer < buyers; buyer += 1) {
    // Box and Muller's normal numbers.
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const value = 20 * Math.exp(sigma * normal);
    values.valueSum += value;
    values.valueSquares += value ** 2;
    values.valueCubes += value ** 3;
  }
}

/** Looks 100 times at an experiment without a difference. Says whether an interval was ever shown, and ever wrong. */
function lookAtRevenue(
  random: () => number,
  { perLook, ...buying }: Buying & { readonly perLook: readonly [number, number] },
) {
  const [baseline, variant] = [newValues(), newValues()];
  const mean = buying.rate * 20 * Math.exp(buying.sigma ** 2 / 2);
  const seen = { mean: { isMissed: false, isShown: false }, difference: { isMissed: false, isShown: false } };
  const look = (what: keyof typeof seen, interval: readonly [number, number] | null, truth: number) => {
    if (interval === null) return;
    seen[what].isShown = true;
    if (interval[0] > truth || interval[1] < truth) seen[what].isMissed = true;
  };
  for (let count = 0; count < 100; count += 1) {
    addVisitors(baseline, random, perLook[0], buying);
    addVisitors(variant, random, perLook[1], buying);
    look('mean', valueInterval(baseline, 0.05), mean);
    look('difference', valueDifference(baseline, variant, 0.05).differenceInterval, 0);
  }
  return seen;
}

describe('simulated experiments', () => {
  it.each([
    { rate: 0.1, perLook: [20, 20] },
    { rate: 0.1, perLook: [100, 100] },
    { rate: 0.02, perLook: [50, 50] },
    { rate: 0.5, perLook: [3, 3] },
    { rate: 0.05, perLook: [180, 20] },
    { rate: 0.01, perLook: [10, 40] },
  ] as const)(
    'without a difference, 100 looks find one in 5 % of them at most: rate $rate, $perLook visitors a look',
    ({ rate, perLook }) => {
      expect(shareOfFindings(1, 400, { rates: [rate, rate], perLook, looks: 100 })).toBeLessThanOrEqual(0.05);
    },
  );

  it('finds the wished effect with the visitors that it asks for in 80 % of them at least', () => {
    const effect = { rate: 0.2, effect: 0.2, shares: [0.5, 0.5], alpha: 0.05 } as const;
    const needed = neededVisitors(effect)!;
    const perLook = [Math.ceil(needed / 2), Math.ceil(needed / 2)] as const;
    expect(shareOfFindings(2, 400, { rates: [0.2, 0.24], perLook, looks: 1 })).toBeGreaterThan(0.78);
    expect(
      shareOfFindings(3, 400, { rates: [0.2, 0.24], perLook: [perLook[0] / 2, perLook[1] / 2], looks: 1 }),
    ).toBeLessThan(0.7);
  });

  it.each([
    [0.1, 1_000],
    [0.02, 3_000],
    [0.5, 1_500],
    [0.3, 5_000],
  ])('95 ± 1 % of the intervals contain the rate: %d with %d visitors', (rate, visitors) => {
    const random = seededRandom(4);
    const trials = 4_000;
    let covered = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const [low, high] = rateInterval(binomial(random, visitors, rate), visitors);
      if (low <= rate && rate <= high) covered += 1;
    }
    expect(covered / trials).toBeGreaterThanOrEqual(0.94);
    expect(covered / trials).toBeLessThanOrEqual(0.96);
  });

  it.each([
    [0.1, 0.13],
    [0.05, 0.05],
    [0.3, 0.24],
  ])(
    'the intervals of difference and lift hold at all of 100 looks in 95 %% of them at least: %d, %d',
    (from, to) => {
      const random = seededRandom(7);
      const trials = 300;
      const missed = { difference: 0, lift: 0 };
      const contains = (interval: readonly [number, number] | null, value: number) =>
        interval === null || (interval[0] <= value && value <= interval[1]);
      for (let trial = 0; trial < trials; trial += 1) {
        const baseline = { visitors: 0, conversions: 0 };
        const variant = { visitors: 0, conversions: 0 };
        let [isDifferenceMissed, isLiftMissed] = [false, false];
        for (let look = 0; look < 100; look += 1) {
          baseline.visitors += 100;
          baseline.conversions += binomial(random, 100, from);
          variant.visitors += 100;
          variant.conversions += binomial(random, 100, to);
          const { differenceInterval, liftInterval } = comparison(baseline, variant, 0.05);
          isDifferenceMissed ||= !contains(differenceInterval, to - from);
          isLiftMissed ||= !contains(liftInterval, (to - from) / from);
        }
        if (isDifferenceMissed) missed.difference += 1;
        if (isLiftMissed) missed.lift += 1;
      }
      expect(missed.difference / trials).toBeLessThanOrEqual(0.05);
      expect(missed.lift / trials).toBeLessThanOrEqual(0.05);
    },
  );

  it.each([
    { sigma: 0.4, rate: 0.02, perLook: [500, 500] },
    { sigma: 0.4, rate: 0.1, perLook: [100, 10] },
    { sigma: 1, rate: 0.1, perLook: [100, 100] },
    { sigma: 1, rate: 0.1, perLook: [500, 50] },
    { sigma: 1.5, rate: 0.5, perLook: [100, 100] },
    { sigma: 1.5, rate: 0.1, perLook: [500, 50] },
  ] as const)(
    'the intervals of revenue hold at all of 100 looks in 95 % of them at least: $rate buy, log-normal with sigma $sigma, $perLook visitors a look',
    ({ sigma, rate, perLook }) => {
      const random = seededRandom(8);
      const trials = 300;
      const missed = { mean: 0, difference: 0 };
      const shown = { mean: 0, difference: 0 };
      for (let trial = 0; trial < trials; trial += 1) {
        const looks = lookAtRevenue(random, { sigma, rate, perLook });
        for (const what of ['mean', 'difference'] as const) {
          missed[what] += Number(looks[what].isMissed);
          shown[what] += Number(looks[what].isShown);
        }
      }
      expect(missed.mean / trials).toBeLessThanOrEqual(0.05);
      expect(missed.difference / trials).toBeLessThanOrEqual(0.05);
      expect(shown.mean / trials).toBeGreaterThan(0.4);
      expect(shown.difference / trials).toBe(1);
    },
  );

  it('finds a revenue that is a third higher', () => {
    const random = seededRandom(9);
    let found = 0;
    for (let trial = 0; trial < 100; trial += 1) {
      const [baseline, variant] = [newValues(), newValues()];
      addVisitors(baseline, random, 10_000, { sigma: 0.5, rate: 0.09 });
      addVisitors(variant, random, 10_000, { sigma: 0.5, rate: 0.12 });
      if (valueDifference(baseline, variant, 0.05).differenceInterval![0] > 0) found += 1;
    }
    expect(found).toBeGreaterThan(90);
  });

  it('100 looks at visitors that are shared as they should be hardly ever raise the alarm', () => {
    const random = seededRandom(5);
    let alarms = 0;
    for (let trial = 0; trial < 1_000; trial += 1) {
      const visitors: [number, number] = [0, 0];
      for (let look = 0; look < 100; look += 1) {
        const first = binomial(random, 50, 0.5);
        visitors[0] += first;
        visitors[1] += 50 - first;
        if (sampleRatio(visitors, [50, 50]).ok) continue;
        alarms += 1;
        break;
      }
    }
    expect(alarms).toBeLessThanOrEqual(4);
  });

  it('raises the alarm when every tenth visitor of a variant is lost', () => {
    const random = seededRandom(6);
    let alarms = 0;
    for (let trial = 0; trial < 100; trial += 1) {
      const first = binomial(random, 40_000, 0.5);
      if (!sampleRatio([first, 0.9 * (40_000 - first)], [50, 50]).ok) alarms += 1;
    }
    expect(alarms).toBe(100);
  });
});
