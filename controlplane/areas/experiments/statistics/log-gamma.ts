/** Coefficients of Stirling's series for ln Γ(x): B(2k) / (2k (2k − 1)), k from 1. NIST DLMF 5.11.1. */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360] as const;
/** Smallest argument for which the series is exact to 15 digits. */
const LARGE = 12;

/** Natural logarithm of the gamma function. @param x over 0 */
export function logGamma(x: number): number {
  // Γ(x) = Γ(x + 1) / x shifts a small argument to where the series is exact.
  let shifted = x;
  let factor = 1;
  while (shifted < LARGE) {
    factor *= shifted;
    shifted += 1;
  }
  const square = 1 / (shifted * shifted);
  let series = 0;
  for (let index = STIRLING.length - 1; index >= 0; index -= 1) {
    series = series * square + (STIRLING[index] ?? 0);
  }
  const value =
    (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series / shifted;
  return value - Math.log(factor);
}
