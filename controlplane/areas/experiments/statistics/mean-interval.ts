import { type Interval, Z_95 } from './rate-interval.js';

export interface Mean {
  readonly mean: number;
  /** 95 %; null with fewer than two visitors. */
  readonly interval: Interval | null;
}

/**
 * The mean of a value per visitor, with its 95 % interval by the central limit theorem. Visitors without a value count as 0.
 * It holds for one look at the data.
 *
 * Student, "The probable error of a mean", Biometrika 6 (1908), with the normal quantile, which its own approaches with many
 * visitors.
 *
 * @param sum of the values of all visitors
 * @param sumOfSquares of the same
 */
export function meanInterval(visitors: number, sum: number, sumOfSquares: number): Mean {
  if (visitors === 0) return { mean: 0, interval: null };
  const mean = sum / visitors;
  if (visitors === 1) return { mean, interval: null };
  const variance = Math.max(0, (sumOfSquares - sum * mean) / (visitors - 1));
  const halfWidth = Z_95 * Math.sqrt(variance / visitors);
  return { mean, interval: [mean - halfWidth, mean + halfWidth] };
}
