import { median } from '../measure/statistics.js';
import type { Ratios } from './ratios.js';

/** A stored ratio, and the deviation that still counts as noise: 0.3 allows 30 % more. */
export interface BaselineRatio {
  readonly ratio: number;
  readonly band: number;
}

export type Baseline = Readonly<Record<string, BaselineRatio>>;

/** Runs of each scenario that a baseline is made of. */
export const BASELINE_RUNS = 3;

/** Short rounds on another machine vary by a quarter, even if the runs of a baseline agree. */
const MIN_BAND = 0.3;
const MAX_BAND = 0.5;
/** A few runs show only a part of the noise. */
const SPREAD_FACTOR = 2;

/** Returns the median of each ratio over several runs, and its noise band. */
export function baselineOf(runs: readonly Ratios[]): Baseline {
  const names = new Set(runs.flatMap((run) => Object.keys(run)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = runs.flatMap((run) => run[name] ?? []);
      const ratio = median(values) ?? Number.NaN;
      const spread = (Math.max(...values) - Math.min(...values)) / ratio;
      const band = Math.min(MAX_BAND, Math.max(MIN_BAND, SPREAD_FACTOR * spread));
      return [name, { ratio: rounded(ratio), band: rounded(band) }];
    }),
  );
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
