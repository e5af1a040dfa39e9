import { FEW_VISITORS, type KnownHit } from './random-traffic.fixture.js';

/** Marks a number in an expected answer that may be an estimate. */
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

/** Five times the documented standard error (0.8 %) for many visitors. */
const UNIQUES_TOLERANCE = 0.04;

/** Rows of lists, and hours, have a standard error of 1.6 % above this number. */
const FEW_OF_ROW = 255;
const ROW_TOLERANCE = 0.08;

export function distinctVisitors(hits: readonly KnownHit[]): number {
  return new Set(hits.map(({ visitor_id }) => visitor_id)).size;
}

/** Permitted numbers of distinct visitors of a row. */
export function visitorsOfRow(hits: readonly KnownHit[]): number | Near {
  const exact = distinctVisitors(hits);
  return exact <= FEW_OF_ROW ? exact : near(exact, ROW_TOLERANCE * exact);
}

/** Permitted numbers of distinct visitors of a period or a day. */
export function uniqueVisitors(hits: readonly KnownHit[]): number | Near {
  const exact = distinctVisitors(hits);
  return exact <= FEW_VISITORS ? exact : near(exact, UNIQUES_TOLERANCE * exact);
}

/** Permitted changes of distinct visitors from `before` to `now` in percent. */
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

/** Permitted percentages of a row: up to a hundredth off, because the sum of a list must be right. */
export function rowShare(part: number, whole: number): Near {
  return near(whole === 0 ? 0 : (100 * part) / whole, 0.010_001);
}

export function average(total: number, number: number): number {
  return number === 0 ? 0 : twoDecimals(total / number);
}

function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}
