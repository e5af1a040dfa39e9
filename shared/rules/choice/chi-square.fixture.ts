import { createHash } from 'node:crypto';

/** Returns Pearson's statistic of counts that are expected in proportion to `weights`. */
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
 * Returns the value that the statistic exceeds by chance once in a million (approximation of Wilson and Hilferty).
 *
 * @param freedom degrees of freedom: the number of counts minus one
 */
export function chiSquareLimit(freedom: number): number {
  const oneInAMillion = 4.7534;
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + oneInAMillion * Math.sqrt(spread)) ** 3;
}

/** Random numbers from [0, 1) by Marsaglia's xorshift, repeatable by seed. */
export function seededDice(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Returns an id in the form of visitor ids, repeatable by number. */
export function visitorIdOf(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex').slice(0, 16);
}
