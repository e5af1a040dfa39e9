import { shares } from '../shares.js';

interface VisitRange {
  readonly minVisits: number;
  /** null: unlimited. */
  readonly maxVisits: number | null;
}

/** Ranges of the number of visits. The first one is a single visit. */
export const VISIT_RANGES: readonly [VisitRange, ...VisitRange[]] = [
  { minVisits: 1, maxVisits: 1 },
  { minVisits: 2, maxVisits: 2 },
  { minVisits: 3, maxVisits: 3 },
  { minVisits: 4, maxVisits: 4 },
  { minVisits: 5, maxVisits: 5 },
  { minVisits: 6, maxVisits: 10 },
  { minVisits: 11, maxVisits: 20 },
  { minVisits: 21, maxVisits: 50 },
  { minVisits: 51, maxVisits: null },
];

/** SQL of an array: the number of rows in each range. */
export function visitsColumns(visits: string): string {
  const counts = VISIT_RANGES.map(({ minVisits, maxVisits }) =>
    maxVisits === null
      ? `countIf(${visits} >= ${minVisits})`
      : `countIf(${visits} BETWEEN ${minVisits} AND ${maxVisits})`,
  );
  return `[${counts.join(', ')}]`;
}

/**
 * Returns the ranges with their visitors.
 *
 * @param counted visitors of each range; beyond the first one perhaps those of a sample
 * @param returning number of all visitors beyond the first range, which is distributed over these
 */
export function distributionOf(counted: readonly number[], returning: number) {
  const [single = 0, ...again] = counted;
  const visitors = [single, ...apportioned(again, returning)];
  const percentages = shares(visitors, single + returning);
  return VISIT_RANGES.map((range, index) => ({
    ...range,
    uniqueVisitors: visitors[index] ?? 0,
    percentage: percentages[index] ?? 0,
  }));
}

/** Returns whole numbers in the proportions of `parts` with the sum `total`. */
function apportioned(parts: readonly number[], total: number): number[] {
  const sum = parts.reduce((all, part) => all + part, 0);
  if (sum === total) return [...parts];
  // A sample may contain none of a few returning visitors.
  if (sum === 0) return parts.map((_, index) => (index === 0 ? total : 0));
  let seen = 0;
  return parts.map((part) => {
    const before = Math.round((total * seen) / sum);
    seen += part;
    return Math.round((total * seen) / sum) - before;
  });
}
