import { count, percent } from '../analytics-schema.js';
import { shares } from '../shares.js';

/** Columns of a list beside its keys. @param whole what the percentages are shares of */
export const rowCounts = (whole: string) => ({
  hits: count('Excludes bots unless `includeBots`.'),
  uniqueVisitors: count('Distinct visitors. Excludes bots unless `includeBots`.'),
  percentage: percent(`Percentage of ${whole}.`),
});

interface CountedRow {
  readonly hits: number;
}

/** The rows with their percentages of `totalHits`, which is more than their sum when the list is cut. */
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
