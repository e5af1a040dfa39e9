/** 97.5 % quantile of the normal distribution. */
const Z = 1.959964;

/**
 * Returns the 95 % interval of a share that was found in a random sample: Wilson's score interval (Wilson 1927, JASA 22).
 *
 * @param found of the sample
 * @param sample its size, at least 1
 */
export function shareInterval(found: number, sample: number): [number, number] {
  const share = found / sample;
  const spread = Z ** 2 / sample;
  const middle = share + spread / 2;
  const half = Z * Math.sqrt((share * (1 - share) + spread / 4) / sample);
  return [Math.max(0, (middle - half) / (1 + spread)), Math.min(1, (middle + half) / (1 + spread))];
}
