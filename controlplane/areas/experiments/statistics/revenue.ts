import type { Estimate } from './difference.js';
import type { Interval } from './rate-interval.js';
import { sequentialInterval } from './sequential.js';

/** Sums over the values of all visitors of a variant. A visitor without a value has the value 0. */
export interface Values {
  readonly visitors: number;
  readonly valueSum: number;
  readonly valueSquares: number;
  readonly valueCubes: number;
}

/**
 * An interval of the mean needs so many visitors times the squared skewness of their values. With fewer, a normal
 * approximation misses too often: large values are rare, and a sample without them has a small mean and a small variance.
 * The rule is that of Cochran, "Sampling Techniques" (1977), section 2.15, with twice his constant. In simulations with
 * log-normal values of a sigma of 1.5, 100 looks miss the mean in 10 % of the experiments with 20, and in 4 % with 50.
 */
const VISITORS_PER_SQUARED_SKEWNESS = 50;
/** Purchases of equal size that tell as much as those of each variant: Kish, "Survey Sampling" (1965), section 11.7. */
const LEAST_EFFECTIVE_PURCHASES = 10;
/** A variance below this share of the squared mean is a rounding error. */
const ROUNDING = 1e-12;

/** Returns the value per visitor; 0 without visitors. */
export function valuePerVisitor({ visitors, valueSum }: Values): number {
  return visitors === 0 ? 0 : valueSum / visitors;
}

/**
 * Returns the confidence sequence of the value per visitor: it stays valid however often somebody looks.
 *
 * @returns null while there is too little data for it
 */
export function valueInterval(values: Values, alpha: number): Interval | null {
  const estimate = meanOf(values);
  return estimate !== undefined && isNearlyNormal(values) ? sequentialInterval(estimate, alpha) : null;
}

/** Value per visitor against the baseline. */
export interface ValueDifference {
  readonly difference: number;
  /** Confidence sequence; null while there is too little data. */
  readonly differenceInterval: Interval | null;
}

/** Compares the value per visitor of a variant with that of the baseline. Both must have visitors. */
export function valueDifference(baseline: Values, variant: Values, alpha: number): ValueDifference {
  const difference = valuePerVisitor(variant) - valuePerVisitor(baseline);
  const estimate = differenceOfValues(baseline, variant);
  const isEnough = [baseline, variant].every(
    ({ valueSum, valueSquares }) => valueSum ** 2 >= LEAST_EFFECTIVE_PURCHASES * valueSquares,
  );
  return {
    difference,
    differenceInterval: isEnough && estimate !== undefined ? sequentialInterval(estimate, alpha) : null,
  };
}

/**
 * Returns the value per visitor of a variant minus that of the baseline. The variance is that of both together, if that is
 * larger: a small variant without large values has a small variance too. In simulations with nine tenths of the visitors in
 * the baseline, 20 % of the experiments without a difference found one without this.
 *
 * @returns undefined if the values do not vary
 */
export function differenceOfValues(baseline: Values, variant: Values): Estimate | undefined {
  const [from, to, together] = [meanOf(baseline), meanOf(variant), meanOf(sumOf(baseline, variant))];
  if (from === undefined || to === undefined || together === undefined) return undefined;
  const pooled = together.variance * together.visitors * (1 / baseline.visitors + 1 / variant.visitors);
  return {
    value: to.value - from.value,
    variance: Math.max(from.variance + to.variance, pooled),
    visitors: together.visitors,
  };
}

/** Returns the mean with its variance; undefined if the values do not vary. */
export function meanOf(values: Values): Estimate | undefined {
  const { visitors, valueSum, valueSquares } = values;
  if (visitors < 2) return undefined;
  const value = valuePerVisitor(values);
  const variance = (valueSquares - valueSum * value) / (visitors - 1);
  if (variance <= ROUNDING * value ** 2) return undefined;
  return { value, variance: variance / visitors, visitors };
}

function isNearlyNormal(values: Values): boolean {
  const { visitors, valueSquares, valueCubes } = values;
  const mean = valuePerVisitor(values);
  const variance = valueSquares / visitors - mean ** 2;
  const skewness = (valueCubes / visitors - 3 * mean * variance - mean ** 3) / variance ** 1.5;
  return visitors >= VISITORS_PER_SQUARED_SKEWNESS * Math.max(1, skewness ** 2);
}

function sumOf(one: Values, other: Values): Values {
  return {
    visitors: one.visitors + other.visitors,
    valueSum: one.valueSum + other.valueSum,
    valueSquares: one.valueSquares + other.valueSquares,
    valueCubes: one.valueCubes + other.valueCubes,
  };
}
