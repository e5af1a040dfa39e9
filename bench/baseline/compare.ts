import type { Ratios } from './ratios.js';

/** A ratio this many times its baseline is a regression rather than noise. */
export const FAILS_FROM = 1.5;

/** A ratio beside the stored one. */
export interface ComparedRatio {
  readonly name: string;
  readonly measured: number;
  readonly stored: number;
  /** Measured by stored: over 1 is worse. */
  readonly factor: number;
  readonly hasFallenBehind: boolean;
}

/** Compares what both have. @throws when they have nothing in common, which would pass unseen */
export function compareRatios(measured: Ratios, stored: Ratios): readonly ComparedRatio[] {
  const compared = Object.entries(measured).flatMap(([name, ratio]): ComparedRatio[] => {
    const before = stored[name];
    if (before === undefined) return [];
    const factor = ratio / before;
    return [{ name, measured: ratio, stored: before, factor, hasFallenBehind: !(factor < FAILS_FROM) }];
  });
  if (compared.length === 0) throw new Error('none of the ratios of this run are in the baseline');
  return compared;
}

/** The better of two runs, ratio by ratio. */
export function betterOf(one: Ratios, other: Ratios): Ratios {
  const merged: Record<string, number> = { ...one };
  for (const [name, ratio] of Object.entries(other)) merged[name] = Math.min(ratio, merged[name] ?? ratio);
  return merged;
}

/** A line for each, for people. */
export function describeComparison(compared: readonly ComparedRatio[]): string {
  return compared
    .map(({ name, measured, stored, factor, hasFallenBehind }) => {
      const verdict = hasFallenBehind ? ', which is too much' : '';
      return `${name}: ${measured.toFixed(2)}, ${factor.toFixed(2)} × the stored ${stored.toFixed(2)}${verdict}`;
    })
    .join('\n');
}
