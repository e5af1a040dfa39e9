import type { Definition } from './experiment.js';
import type { Result } from './experiment-schema.js';
import type { ArmTotals } from './exposure-repository.js';
import { type Comparison, comparison } from './statistics/comparison.js';
import { type Counts, rateOf } from './statistics/difference.js';
import { neededVisitors } from './statistics/needed-visitors.js';
import { probabilityBest } from './statistics/probability-best.js';
import { rateInterval } from './statistics/rate-interval.js';
import { type Values, valueDifference, valueInterval, valuePerVisitor } from './statistics/revenue.js';
import { sampleRatio } from './statistics/sample-ratio.js';

/** Probability that any of the intervals of one result is wrong, and level of the test. */
const LEVEL = 0.05;

const NO_TOTALS = {
  visitors: 0,
  conversions: 0,
  mixed: 0,
  valueSum: 0,
  valueSquares: 0,
  valueCubes: 0,
} as const;

/**
 * Returns the result of visitors who were assigned by one definition.
 *
 * @param totals of the arms; arms that are not in the definition are omitted
 * @param effectPercent effect for `neededVisitors`
 * @param hasRevenue whether values were posted
 */
export function resultOf(
  { arms }: Definition,
  totals: readonly ArmTotals[],
  { effectPercent, hasRevenue }: { readonly effectPercent: number; readonly hasRevenue: boolean },
): Result {
  const counted = arms.map(({ name, weight }) => ({
    ...(totals.find(({ arm }) => arm === name) ?? NO_TOTALS),
    name,
    weight,
  }));
  const [baseline = { ...NO_TOTALS, name: '', weight: 100 }, ...others] = counted;
  // Bonferroni's correction: several variants are compared with one baseline.
  const alpha = LEVEL / others.length;
  const comparisons = others.map((other) => comparison(baseline, other, alpha));
  const best = probabilityBest(counted);
  const ratio = sampleRatio(
    counted.map(({ visitors }) => visitors),
    counted.map(({ weight }) => weight),
  );
  const pValue = Math.min(1, others.length * Math.min(1, ...comparisons.map((one) => one.pValue)));
  const needed = mostNeeded(counted, alpha, effectPercent / 100);
  const visitors = counted.reduce((sum, arm) => sum + arm.visitors, 0);
  return {
    variants: counted.map((arm, index) => ({
      name: arm.name,
      weight: arm.weight,
      visitors: arm.visitors,
      mixed: arm.mixed,
      conversions: arm.conversions,
      rate: rateOf(arm),
      interval: rateInterval(arm.conversions, arm.visitors),
      ...versusBaseline(index === 0 ? undefined : comparisons[index - 1]),
      probabilityBest: best[index] ?? 0,
      revenue: hasRevenue ? revenueOf(arm, index === 0 ? undefined : baseline, alpha) : null,
    })),
    baseline: baseline.name,
    visitors,
    mixed: counted.reduce((sum, arm) => sum + arm.mixed, 0),
    pValue,
    sampleRatio: ratio,
    neededVisitors: needed,
    ...verdictOf({
      arms: counted,
      comparisons,
      pValue,
      sampleRatio: ratio,
      neededVisitors: needed,
      effectPercent,
    }),
  };
}

function versusBaseline(compared: Comparison | undefined) {
  return {
    lift: compared?.lift ?? null,
    liftInterval: compared?.liftInterval ?? null,
    difference: compared?.difference ?? null,
    differenceInterval: compared?.differenceInterval ?? null,
    pValue: compared?.pValue ?? null,
  };
}

/** @param baseline undefined for the baseline itself */
function revenueOf(arm: Values, baseline: Values | undefined, alpha: number) {
  const isCompared = baseline !== undefined && baseline.visitors > 0 && arm.visitors > 0;
  const compared = isCompared ? valueDifference(baseline, arm, alpha) : undefined;
  return {
    total: arm.valueSum,
    perVisitor: valuePerVisitor(arm),
    interval: valueInterval(arm, LEVEL),
    difference: compared?.difference ?? null,
    differenceInterval: compared?.differenceInterval ?? null,
  };
}

/**
 * Returns the largest number of visitors that a comparison of an arm with the baseline needs; null while the baseline's
 * rate is unknown, 0 or 1.
 */
function mostNeeded(
  arms: readonly (Counts & { readonly weight: number })[],
  alpha: number,
  effect: number,
): number | null {
  const [baseline, ...others] = arms;
  const rate = baseline === undefined ? 0 : rateOf(baseline);
  if (baseline === undefined || rate === 0 || rate === 1) return null;
  const total = arms.reduce((sum, { weight }) => sum + weight, 0);
  const each = others.map((other) =>
    neededVisitors({ rate, effect, shares: [baseline.weight / total, other.weight / total], alpha }),
  );
  return each.some((needed) => needed === null) ? null : Math.max(...each.map((needed) => needed ?? 0));
}

interface VerdictInput extends Pick<Result, 'pValue' | 'sampleRatio' | 'neededVisitors'> {
  /** The baseline first. */
  readonly arms: readonly (Counts & { readonly name: string })[];
  /** Comparisons of each other arm with the first one. */
  readonly comparisons: readonly Comparison[];
  readonly effectPercent: number;
}

type Verdict = Pick<Result, 'verdict' | 'explanation'>;

const SIGNIFICANT = 0.05;
const CAUSES =
  'bots, caches that pin a variant, filtering after assignment, or cookies that keep a variant from before a change of the weights';

/** Returns the meaning of the numbers in words. */
function verdictOf(input: VerdictInput): Verdict {
  const { arms, comparisons, pValue, sampleRatio, neededVisitors, effectPercent } = input;
  const visitors = arms.reduce((sum, arm) => sum + arm.visitors, 0);
  if (visitors === 0) {
    return notEnough('The rule redirected no recorded visitor in this period.');
  }
  if (!sampleRatio.ok) {
    return {
      verdict: `sample ratio mismatch: the visitors of the variants do not match the weights. Likely causes: ${CAUSES}.`,
      explanation: `If visitors were assigned by the weights, such numbers would have a probability of ${text(sampleRatio.pValue)}. Do not trust the rates before you find the cause.`,
    };
  }
  if (pValue < SIGNIFICANT) return better(arms, comparisons, pValue);
  if (neededVisitors === null || visitors < neededVisitors) {
    const needed =
      neededVisitors === null
        ? 'There are too few conversions to say how many visitors are needed.'
        : `An effect of ${effectPercent} % is found with ${whole(neededVisitors)} visitors in four of five experiments; there are ${whole(visitors)}.`;
    return notEnough(needed);
  }
  return {
    verdict: 'no difference found',
    explanation: `With ${whole(visitors)} visitors, an effect of ${effectPercent} % or more would probably have been found. A smaller one is possible.`,
  };
}

function notEnough(explanation: string): Verdict {
  return { verdict: 'not enough data yet', explanation };
}

/** Names the best of those that differ from the baseline; the baseline if all that differ are worse. */
function better(arms: VerdictInput['arms'], comparisons: readonly Comparison[], pValue: number): Verdict {
  const [baseline, ...others] = arms;
  const isFound = (index: number) => (comparisons[index]?.pValue ?? 1) * comparisons.length < SIGNIFICANT;
  const found = others.filter((_, index) => isFound(index));
  const candidates = baseline === undefined ? found : [baseline, ...found];
  const best = candidates.reduce((one, other) => (rateOf(other) > rateOf(one) ? other : one));
  const worse = best === baseline ? found.map(({ name }) => name).join(', ') : baseline?.name;
  return {
    verdict: `${best.name} is better`,
    explanation: `${best.name} converts more visitors than ${worse}. Without a real difference, such a result has a probability of ${text(pValue)}, however often you look.`,
  };
}

/** Formats a whole number with separators: 12,345. */
function whole(count: number): string {
  return count.toLocaleString('en-GB');
}

function text(probability: number): string {
  return probability < 0.0001 ? 'below 0.0001' : String(Number(probability.toPrecision(2)));
}
