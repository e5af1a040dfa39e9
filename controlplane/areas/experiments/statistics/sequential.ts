import type { Estimate } from './difference.js';
import type { Interval } from './rate-interval.js';

/**
 * Asymptotic confidence sequences: intervals and p-values that stay valid however often somebody looks, and whenever they
 * stop. Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence
 * sequences", arXiv 2103.06476 (v7). GrowthBook's gbstats uses the same formulas and the same tuning.
 */

/** Visitors at which the sequence is narrowest. It is valid at any number. */
const TUNED_FOR_VISITORS = 5_000;

/** Equation 161 of the paper: the parameter for which a sequence of this `alpha` is narrowest there, squared. */
function squaredRho(alpha: number): number {
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log(twice + 1)) / TUNED_FOR_VISITORS;
}

/** Half the width of the interval, in standard errors of the estimate. Equation 9 of the paper. */
export function sequentialQuantile(visitors: number, alpha: number): number {
  const rho = squaredRho(alpha);
  const grown = visitors * rho + 1;
  return Math.sqrt((2 * grown * Math.log(Math.sqrt(grown) / alpha)) / (visitors * rho));
}

/** The interval that contains the true value at all times with a probability of 1 − `alpha`. */
export function sequentialInterval({ value, variance, visitors }: Estimate, alpha: number): Interval {
  const halfWidth = Math.sqrt(variance) * sequentialQuantile(visitors, alpha);
  return [value - halfWidth, value + halfWidth];
}

/**
 * The p-value of "the true value is 0". Under that hypothesis it is ever below `alpha` with a probability of at most
 * `alpha`. Equation 155 of the paper.
 *
 * @param alpha level that the sequence is tuned for
 */
export function sequentialPValue({ value, variance, visitors }: Estimate, alpha: number): number {
  if (variance === 0) return 1;
  const grown = visitors * squaredRho(alpha) + 1;
  const exponent = ((grown - 1) * value * value) / (2 * grown * variance);
  return Math.min(1, Math.sqrt(grown) * Math.exp(-exponent));
}
