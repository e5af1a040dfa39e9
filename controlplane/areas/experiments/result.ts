import type { Definition } from './experiment.js';
import type { Result } from './experiment-schema.js';
import type { ArmTotals } from './exposure-repository.js';
import { type Comparison, comparison } from './statistics/comparison.js';
import { type Counts, rateOf } from './statistics/difference.js';
import { neededVisitors } from './statistics/needed-visitors.js';
import { probabilityBest } from './statistics/probability-best.js';
import { rateInterval } from './statistics/rate-interval.js';
import { type Values, valueDifference, valueInterval, valuePerVisitor } from './statistics/revenue.js';
import { sampleRatio } from './statistics/sample-ratio.js';
import { verdictOf } from './verdict.js';

/** Probability that any of the intervals of one result is wrong, and level of the test. */
const LEVEL = 0.05;

const NO_TOTALS = {
  visitors: 0,
  conversions: 0,
  mixed: 0,
  valueSum: 0,
  valueSquares: 0,
  valueCubes: 0,
} as const;

/**
 * Returns the result of visitors who were assigned by one definition.
 *
 * @param totals of the arms; those that the definition does not have are left out
 * @param effectPercent effect that `neededVisitors` is for
 * @param hasRevenue whether values were posted
 */
export function resultOf(
  { arms }: Definition,
  totals: readonly ArmTotals[],
  { effectPercent, hasRevenue }: { readonly effectPercent: number; readonly hasRevenue: boolean },
): Result {
  const counted = arms.map(({ name, weight }) => ({
    ...(totals.find(({ arm }) => arm === name) ?? NO_TOTALS),
    name,
    weight,
  }));
  const [baseline = { ...NO_TOTALS, name: '', weight: 100 }, ...others] = counted;
  // Bonferroni's correction: several variants are compared with one baseline.
  const alpha = LEVEL / others.length;
  const comparisons = others.map((other) => comparison(baseline, other, alpha));
  const best = probabilityBest(counted);
  const ratio = sampleRatio(
    counted.map(({ visitors }) => visitors),
    counted.map(({ weight }) => weight),
  );
  const pValue = Math.min(1, others.length * Math.min(1, ...comparisons.map((one) => one.pValue)));
  const needed = mostNeeded(counted, alpha, effectPercent / 100);
  const visitors = counted.reduce((sum, arm) => sum + arm.visitors, 0);
  return {
    variants: counted.map((arm, index) => ({
      name: arm.name,
      weight: arm.weight,
      visitors: arm.visitors,
      mixed: arm.mixed,
      conversions: arm.conversions,
      rate: rateOf(arm),
      interval: rateInterval(arm.conversions, arm.visitors),
      ...versusBaseline(index === 0 ? undefined : comparisons[index - 1]),
      probabilityBest: best[index] ?? 0,
      revenue: hasRevenue ? revenueOf(arm, index === 0 ? undefined : baseline, alpha) : null,
    })),
    baseline: baseline.name,
    visitors,
    mixed: counted.reduce((sum, arm) => sum + arm.mixed, 0),
    pValue,
    sampleRatio: ratio,
    neededVisitors: needed,
    ...verdictOf({
      arms: counted,
      comparisons,
      pValue,
      sampleRatio: ratio,
      neededVisitors: needed,
      effectPercent,
    }),
  };
}

function versusBaseline(compared: Comparison | undefined) {
  return {
    lift: compared?.lift ?? null,
    liftInterval: compared?.liftInterval ?? null,
    difference: compared?.difference ?? null,
    differenceInterval: compared?.differenceInterval ?? null,
    pValue: compared?.pValue ?? null,
  };
}

/** @param baseline undefined for the baseline itself */
function revenueOf(arm: Values, baseline: Values | undefined, alpha: number) {
  const isCompared = baseline !== undefined && baseline.visitors > 0 && arm.visitors > 0;
  const compared = isCompared ? valueDifference(baseline, arm, alpha) : undefined;
  return {
    total: arm.valueSum,
    perVisitor: valuePerVisitor(arm),
    interval: valueInterval(arm, LEVEL),
    difference: compared?.difference ?? null,
    differenceInterval: compared?.differenceInterval ?? null,
  };
}

/**
 * Returns the largest number of visitors that a comparison of an arm with the baseline needs; null while the baseline's
 * rate is unknown, 0 or 1.
 */
function mostNeeded(
  arms: readonly (Counts & { readonly weight: number })[],
  alpha: number,
  effect: number,
): number | null {
  const [baseline, ...others] = arms;
  const rate = baseline === undefined ? 0 : rateOf(baseline);
  if (baseline === undefined || rate === 0 || rate === 1) return null;
  const total = arms.reduce((sum, { weight }) => sum + weight, 0);
  const each = others.map((other) =>
    neededVisitors({ rate, effect, shares: [baseline.weight / total, other.weight / total], alpha }),
  );
  return each.some((needed) => needed === null) ? null : Math.max(...each.map((needed) => needed ?? 0));
}
