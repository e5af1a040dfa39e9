import { count, percent } from '../analytics-schema.js';
import { UNKNOWN } from '../hit-filters.js';
import { shares } from '../shares.js';

/**
 * Columns of a list beside its keys.
 *
 * @param whole number that the percentages refer to
 */
export const rowCounts = (whole: string) => ({
  hits: count('Excludes bots unless `includeBots`.'),
  uniqueVisitors: count('Distinct visitors. Excludes bots unless `includeBots`.'),
  percentage: percent(`Percentage of ${whole}.`),
});

/** SQL of the texts of a column. Hits with an unknown one have an empty text in the store. */
export const orUnknown = (column: string) => `if(${column} = '', '${UNKNOWN}', ${column})`;

interface CountedRow {
  readonly hits: number;
}

export function sumOfHits(rows: readonly CountedRow[]): number {
  return rows.reduce((sum, { hits }) => sum + hits, 0);
}

/** Sorts rows by hits, descending, then by key, in the order of the store. */
export function byHits<Row extends CountedRow>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const order = (one: Row, other: Row) =>
    other.hits - one.hits || Buffer.compare(Buffer.from(keyOf(one)), Buffer.from(keyOf(other)));
  return [...rows].sort(order);
}

/** Adds percentages of `totalHits` to the rows. The total exceeds their sum when the list is cut. */
export function withShares<Row extends CountedRow>(
  rows: readonly Row[],
  totalHits: number,
): (Row & { percentage: number })[] {
  const percentages = shares(
    rows.map(({ hits }) => hits),
    totalHits,
  );
  return rows.map((row, index) => ({ ...row, percentage: percentages[index] ?? 0 }));
}
