/** Returns `part` of `whole` in percent, with two decimals; 0 of nothing is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : twoDecimals((100 * part) / whole);
}

/** Returns `total` divided by `count`, with two decimals. */
export function average(total: number, count: number): number {
  return count === 0 ? 0 : twoDecimals(total / count);
}

function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}
