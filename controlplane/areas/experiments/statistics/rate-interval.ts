export type Interval = [low: number, high: number];

/** The 97.5 % quantile of the standard normal distribution. */
export const Z_95 = 1.959963984540054;

/**
 * Returns the 95 % interval of a rate by Wilson's score method. It is never empty, also with 0 or `visitors` conversions.
 * It holds for one look at the data: judge a running experiment by `sequentialInterval`.
 *
 * Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
 */
export function rateInterval(conversions: number, visitors: number): Interval {
  if (visitors === 0) return [0, 1];
  const rate = conversions / visitors;
  const square = Z_95 * Z_95;
  const centre = rate + square / (2 * visitors);
  const halfWidth = Z_95 * Math.sqrt((rate * (1 - rate)) / visitors + square / (4 * visitors * visitors));
  const scale = 1 + square / visitors;
  // Rounding may leave the bounds beside 0 and 1.
  const low = conversions === 0 ? 0 : Math.max(0, (centre - halfWidth) / scale);
  const high = conversions === visitors ? 1 : Math.min(1, (centre + halfWidth) / scale);
  return [low, high];
}
