import type { Comparison } from './statistics/comparison.js';
import { rateOf } from './statistics/difference.js';
import type { SampleRatio } from './statistics/sample-ratio.js';

export interface VerdictInput {
  /** The baseline first. */
  readonly arms: readonly {
    readonly name: string;
    readonly visitors: number;
    readonly conversions: number;
  }[];
  /** Each arm but the first, against the first. */
  readonly comparisons: readonly Comparison[];
  readonly pValue: number;
  readonly sampleRatio: SampleRatio;
  readonly neededVisitors: number | null;
  readonly effectPercent: number;
}

export interface Verdict {
  readonly verdict: string;
  /** Reason of the verdict, in whole sentences. */
  readonly explanation: string;
}

const SIGNIFICANT = 0.05;
const CAUSES =
  'bots, caches that pin a variant, filtering after assignment, or cookies that keep a variant from before a change of the weights';

/** Returns what the numbers mean, in words. */
export function verdictOf(input: VerdictInput): Verdict {
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
