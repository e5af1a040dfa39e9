import type { Baseline } from './baseline.js';
import type { Ratios } from './ratios.js';

/** A ratio with the stored one. */
export interface ComparedRatio {
  readonly name: string;
  readonly measured: number;
  readonly stored: number;
  /** Highest ratio that counts as noise. */
  readonly limit: number;
  /** Measured divided by stored. More than 1 is worse. */
  readonly factor: number;
  readonly hasFallenBehind: boolean;
}

/** Compares the ratios that both have. @throws if they have none in common */
export function compareRatios(measured: Ratios, baseline: Baseline): readonly ComparedRatio[] {
  const compared = Object.entries(measured).flatMap(([name, ratio]): ComparedRatio[] => {
    const stored = baseline[name];
    if (stored === undefined) return [];
    const limit = stored.ratio * (1 + stored.band);
    const hasFallenBehind = !(ratio <= limit);
    return [
      { name, measured: ratio, stored: stored.ratio, limit, factor: ratio / stored.ratio, hasFallenBehind },
    ];
  });
  if (compared.length === 0) throw new Error('none of the ratios of this run are in the baseline');
  return compared;
}

/** Returns the better of two runs, ratio by ratio. */
export function betterOf(one: Ratios, other: Ratios): Ratios {
  const merged: Record<string, number> = { ...one };
  for (const [name, ratio] of Object.entries(other)) merged[name] = Math.min(ratio, merged[name] ?? ratio);
  return merged;
}

/** Describes each comparison in one line. */
export function describeComparison(compared: readonly ComparedRatio[]): string {
  return compared
    .map(({ name, measured, stored, limit, factor, hasFallenBehind }) => {
      const verdict = hasFallenBehind ? ': worse than its noise band' : '';
      return `${name}: ${measured.toFixed(2)}, ${factor.toFixed(2)} × the stored ${stored.toFixed(2)} (limit ${limit.toFixed(2)})${verdict}`;
    })
    .join('\n');
}
