/** Visitors of a variant, and how many of them converted. */
export interface Counts {
  readonly visitors: number;
  readonly conversions: number;
}

/** An estimate that is nearly normal, with the variance of the estimate. */
export interface Estimate {
  readonly value: number;
  readonly variance: number;
  /** Visitors that it is made of. */
  readonly visitors: number;
}

/** The rate of `variant` minus that of `baseline`. Both must have visitors. */
export function differenceOf(baseline: Counts, variant: Counts): Estimate {
  return {
    value: rateOf(variant) - rateOf(baseline),
    variance: varianceOf(variant) / variant.visitors + varianceOf(baseline) / baseline.visitors,
    visitors: baseline.visitors + variant.visitors,
  };
}

/**
 * The lift: the difference as a share of the rate of `baseline`, which must not be 0. The variance is that of the delta
 * method (Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics", KDD 2018).
 */
export function liftOf(baseline: Counts, variant: Counts): Estimate {
  const [from, to] = [rateOf(baseline), rateOf(variant)];
  return {
    value: (to - from) / from,
    variance:
      varianceOf(variant) / (from ** 2 * variant.visitors) +
      (varianceOf(baseline) * to ** 2) / (from ** 4 * baseline.visitors),
    visitors: baseline.visitors + variant.visitors,
  };
}

export function rateOf({ visitors, conversions }: Counts): number {
  return visitors === 0 ? 0 : conversions / visitors;
}

/** Returns the variance of the conversion of one visitor. */
function varianceOf(counts: Counts): number {
  const rate = rateOf(counts);
  return rate * (1 - rate);
}
