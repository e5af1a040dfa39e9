/**
 * Returns the middle value; for an even number of values, the mean of the two in the middle. Returns `undefined` for an
 * empty list.
 */
export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const above = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const below = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (above + below) / 2;
}

/**
 * Returns the smallest value that at least `share` of the values do not exceed (nearest rank). Returns `undefined` for
 * an empty list.
 *
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/**
 * Median of the ratios of values measured in the same round. A disturbance that slows both servers, such as a busy
 * neighbour on the machine, cancels out. Rounds in which either value is missing do not count.
 */
export function medianRatio(
  values: readonly (number | undefined)[],
  references: readonly (number | undefined)[],
): number | undefined {
  const ratios = values.flatMap((value, round) => {
    const reference = references[round];
    return value === undefined || reference === undefined || reference === 0 ? [] : [value / reference];
  });
  return median(ratios);
}
