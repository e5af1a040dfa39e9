import { seededRandom } from '../../../../shared/process/seeded-random.fixture.js';

/** Random numbers that are repeatable by seed. */
export interface Dice {
  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** Chooses the first ones often, the last ones rarely. */
  pickSkewed<Value>(values: readonly Value[]): Value;
}

export function createDice(seed: number): Dice {
  const next = seededRandom(seed);
  const at = <Value>(values: readonly Value[], share: number) =>
    values[Math.floor(share * values.length)] as Value;
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (share) => next() < share,
    pick: (values) => at(values, next()),
    pickSkewed: (values) => at(values, next() ** 3),
  };
}
