import type { Counts } from './difference.js';
import { logGamma } from './log-gamma.js';

/** Points of the grid of a variant. With these, results are exact to 1e-4 or better. */
const POINTS = 2_001;
/** Reach of a grid in standard deviations. The tail of a variant without conversions is exponential: e^-14 is left out. */
const REACH = 14;

/** The distribution function of a rate, on a grid. */
interface Posterior {
  readonly low: number;
  readonly step: number;
  readonly below: readonly number[];
}

/**
 * Returns the probability of each variant to have the highest rate. The posterior of a rate is Beta(1 + conversions, 1
 * + others); the integral over the product of a density and the other distribution functions is computed numerically,
 * so the result is always the same. Scott, "A modern Bayesian look at the multi-armed bandit", Applied Stochastic
 * Models 26 (2010), equation 10.
 */
export function probabilityBest(variants: readonly Counts[]): number[] {
  const posteriors = variants.map(posteriorOf);
  // Use the points of all grids: a wide posterior's grid alone would not resolve a narrow one.
  const rates = posteriors.flatMap(({ low, step }) =>
    Array.from({ length: POINTS }, (_, n) => low + n * step),
  );
  rates.sort((one, other) => one - other);
  const below = posteriors.map((posterior) => rates.map((rate) => distributionAt(posterior, rate)));
  const shares = below.map((own, index) => {
    const others = below.filter((_, other) => other !== index);
    const othersBelow = (point: number) =>
      others.reduce((product, distribution) => product * (distribution[point] ?? 1), 1);
    let share = 0;
    let before = othersBelow(0);
    for (let point = 1; point < rates.length; point += 1) {
      const here = othersBelow(point);
      share += (((own[point] ?? 1) - (own[point - 1] ?? 0)) * (before + here)) / 2;
      before = here;
    }
    return share;
  });
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

function posteriorOf({ visitors, conversions }: Counts): Posterior {
  const a = 1 + conversions;
  const b = 1 + visitors - conversions;
  const mean = a / (a + b);
  const deviation = Math.sqrt((mean * (1 - mean)) / (a + b + 1));
  const low = Math.max(0, mean - REACH * deviation);
  const step = (Math.min(1, mean + REACH * deviation) - low) / (POINTS - 1);
  const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b);
  const below = [0];
  let reached = 0;
  let before = 0;
  for (let point = 0; point < POINTS; point += 1) {
    const rate = Math.min(1, low + point * step);
    // 0 · ln 0 is 0 here: a density at the edge of [0, 1].
    const left = a === 1 ? 0 : (a - 1) * Math.log(rate);
    const right = b === 1 ? 0 : (b - 1) * Math.log1p(-rate);
    const density = Math.exp(left + right - logBeta);
    if (point > 0) {
      reached += (before + density) / 2;
      below.push(reached);
    }
    before = density;
  }
  return { low, step, below: below.map((value) => value / reached) };
}

/** The probability of a rate below this one, interpolated. */
function distributionAt({ low, step, below }: Posterior, rate: number): number {
  const place = (rate - low) / step;
  if (place <= 0) return 0;
  const point = Math.floor(place);
  const lower = below[point];
  const upper = below[point + 1];
  if (lower === undefined || upper === undefined) return 1;
  return lower + (upper - lower) * (place - point);
}
