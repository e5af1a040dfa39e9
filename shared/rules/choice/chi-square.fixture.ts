import { createHash } from 'node:crypto';

/** Pearson's statistic of counts that should stand in proportion to `weights`. */
export function chiSquare(counts: readonly number[], weights: readonly number[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const scale = sum(counts) / sum(weights);
  return sum(
    counts.map((count, index) => {
      const expected = (weights[index] ?? Number.NaN) * scale;
      return (count - expected) ** 2 / expected;
    }),
  );
}

/**
 * What the statistic exceeds with a probability of one in a million when the counts are due to chance alone
 * (Wilson and Hilferty's approximation).
 *
 * @param freedom degrees of it: one less than there are counts
 */
export function chiSquareLimit(freedom: number): number {
  const oneInAMillion = 4.7534;
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + oneInAMillion * Math.sqrt(spread)) ** 3;
}

/** Dice of Marsaglia's xorshift: numbers from [0, 1) that are the same for the same seed. */
export function seededDice(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** An id such as visitors have, the same for the same number. */
export function visitorIdOf(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex').slice(0, 16);
}
