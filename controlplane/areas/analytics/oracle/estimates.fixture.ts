import { FEW_VISITORS, type KnownHit } from './random-traffic.fixture.js';

/** Stands in an expected answer for a number that need not be exact. */
export interface Near {
  readonly exact: number;
  asymmetricMatch(actual: unknown): boolean;
  toString(): string;
}

function near(exact: number, tolerance: number): Near {
  return {
    exact,
    asymmetricMatch: (actual) => typeof actual === 'number' && Math.abs(actual - exact) <= tolerance,
    toString: () => `${exact} ± ${tolerance}`,
  };
}

export function isNear(value: unknown): value is Near {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value && 'exact' in value;
}

/** Five times the standard error (0.8 %) that is stated for more visitors than a few. */
const UNIQUES_TOLERANCE = 0.04;

/** Rows of lists, and hours, are counted more roughly: with a standard error of 1.6 % above so many. */
const FEW_OF_ROW = 255;
const ROW_TOLERANCE = 0.08;

export function distinctVisitors(hits: readonly KnownHit[]): number {
  return new Set(hits.map(({ visitor_id }) => visitor_id)).size;
}

/** Distinct visitors of a row, as they may be answered. */
export function visitorsOfRow(hits: readonly KnownHit[]): number | Near {
  const exact = distinctVisitors(hits);
  return exact <= FEW_OF_ROW ? exact : near(exact, ROW_TOLERANCE * exact);
}

/** Distinct visitors of a period or a day, as they may be answered. */
export function uniqueVisitors(hits: readonly KnownHit[]): number | Near {
  const exact = distinctVisitors(hits);
  return exact <= FEW_VISITORS ? exact : near(exact, UNIQUES_TOLERANCE * exact);
}

/** The change of distinct visitors from `before` to `now` in percent, as it may be answered. */
export function visitorsChange(now: readonly KnownHit[], before: readonly KnownHit[]): number | Near | null {
  const [nows, befores] = [distinctVisitors(now), distinctVisitors(before)];
  const exact = changeInPercent(nows, befores);
  const isEstimate = Math.max(nows, befores) > FEW_VISITORS;
  return isEstimate && exact !== null && befores > 0
    ? near(exact, (200 * UNIQUES_TOLERANCE * nows) / befores)
    : exact;
}

export function changeInPercent(now: number, before: number): number | null {
  if (before === 0) return now === 0 ? 0 : null;
  return twoDecimals((100 * (now - before)) / before);
}

export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : twoDecimals((100 * part) / whole);
}

/** The percentage of a row in a list: up to a hundredth off, so that those of the list can have the right sum. */
export function rowShare(part: number, whole: number): Near {
  return near(whole === 0 ? 0 : (100 * part) / whole, 0.010_001);
}

export function average(total: number, number: number): number {
  return number === 0 ? 0 : twoDecimals(total / number);
}

function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}
