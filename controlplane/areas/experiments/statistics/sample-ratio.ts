import { logGamma } from './log-gamma.js';

/** Level of the alarm. An alarm stops people from trusting a result, so it must hardly ever be false. */
const ALARM_LEVEL = 0.001;
/**
 * Weights of the expected shares in the priors, in visitors. The largest is the default of the package ssrm-test. It finds small
 * deviations among many visitors, but takes 700 of 1,100 for half of them; the others find such deviations early.
 */
const CONCENTRATIONS = [10, 100, 1_000, 10_000] as const;

export interface SampleRatio {
  /** Whether the visitors are shared as the weights say. */
  readonly ok: boolean;
  readonly pValue: number;
}

/**
 * Tests whether visitors were shared as the weights say. The test is sequential: the probability of a false alarm is at
 * most 0.001 however often it is evaluated, unlike with the usual chi-square test.
 *
 * Lindon and Malek, "Anytime-valid inference for multinomial count data", NeurIPS 2022 (arXiv 2011.03567). The Bayes
 * factor is the mean over several priors. Without a cause each factor is a martingale, so their mean is one too.
 *
 * @param visitors of each variant
 * @param weights in the same order, over 0; only proportions count
 */
export function sampleRatio(visitors: readonly number[], weights: readonly number[]): SampleRatio {
  const logs = CONCENTRATIONS.map((concentration) => logBayesFactor(visitors, weights, concentration));
  const greatest = Math.max(...logs);
  const mean = sum(logs.map((log) => Math.exp(log - greatest))) / logs.length;
  const pValue = Math.min(1, Math.exp(-greatest) / mean);
  return { ok: pValue >= ALARM_LEVEL, pValue };
}

/** The logarithm of the Bayes factor for "shares differ from the weights" with a Dirichlet prior around the weights. */
export function logBayesFactor(
  visitors: readonly number[],
  weights: readonly number[],
  concentration: number,
): number {
  const totalWeight = sum(weights);
  let log = logGamma(concentration) - logGamma(concentration + sum(visitors));
  visitors.forEach((count, index) => {
    const share = (weights[index] ?? 0) / totalWeight;
    const prior = concentration * share;
    log += logGamma(prior + count) - logGamma(prior) - count * Math.log(share);
  });
  return log;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
