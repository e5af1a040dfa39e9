/**
 * Maximum difference between the sum of a list's percentages and 100, in hundredths of a percent. The API promises
 * five. As floating-point numbers, five can add up to more.
 */
const TOLERANCE = 4;

/**
 * Returns the parts of a whole in percent with two decimals, in the given order. Each is rounded separately, unless
 * rounding errors add up to 0.05 or more: for example, a thousand entries of a thousandth of a percent would all be
 * zero. In that case all are rounded down. Those that lost most then get a hundredth each until the sum is right; of
 * equal ones the first.
 *
 * @param whole number to which the parts refer; more than their sum if the list is cut
 */
export function shares(parts: readonly number[], whole: number): number[] {
  if (whole === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (10_000 * part) / whole);
  const rounded = exact.map(Math.round);
  const expected = Math.round(sum(exact));
  const fitting = Math.abs(sum(rounded) - expected) <= TOLERANCE ? rounded : apportioned(exact, expected);
  return fitting.map((hundredths) => hundredths / 100);
}

/** Largest remainder method. */
function apportioned(exact: readonly number[], expected: number): number[] {
  const floors = exact.map(Math.floor);
  const remainder = (index: number) => (exact[index] ?? 0) - (floors[index] ?? 0);
  const order = exact.map((_, index) => index).sort((one, other) => remainder(other) - remainder(one));
  const favoured = new Set(order.slice(0, expected - sum(floors)));
  return floors.map((hundredths, index) => (favoured.has(index) ? hundredths + 1 : hundredths));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
