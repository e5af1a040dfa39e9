import { sequentialQuantile } from './sequential.js';

/** The 80 % quantile of the standard normal distribution: the required power. */
const Z_POWER = 0.8416212335729143;
/** Maximum result, more than the visitors of any redirect. */
const MAX_VISITORS = 1e12;

export interface WishedEffect {
  /** Rate of the baseline, over 0 and below 1. */
  readonly rate: number;
  /** Effect to be found, as a share of the rate: 0.1 is 10 % more. */
  readonly effect: number;
  /** Shares of the baseline and of the variant among all visitors of the experiment. */
  readonly shares: readonly [baseline: number, variant: number];
  readonly alpha: number;
}

/**
 * Returns the number of visitors with which the sequential test finds an effect of this size with a probability of 80
 * %. The half width of the interval plus the quantile of the power is then the effect. Lachin, "Introduction to sample
 * size determination and power analysis for clinical trials", Controlled Clinical Trials 2 (1981), equation 1, with the
 * quantile of the confidence sequence in place of the normal one. A test that allows one look needs about half as many.
 *
 * @returns null if no number of visitors is enough
 */
export function neededVisitors({ rate, effect, shares, alpha }: WishedEffect): number | null {
  const other = Math.min(1, rate * (1 + effect));
  const difference = other - rate;
  const [baseline, variant] = shares;
  const deviation = (visitors: number) =>
    Math.sqrt((rate * (1 - rate)) / (visitors * baseline) + (other * (1 - other)) / (visitors * variant));
  const isEnough = (visitors: number) => {
    const compared = visitors * (baseline + variant);
    return (sequentialQuantile(compared, alpha) + Z_POWER) * deviation(visitors) <= difference;
  };
  let low = 1;
  let high = 2;
  while (!isEnough(high)) {
    if (high > MAX_VISITORS) return null;
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
