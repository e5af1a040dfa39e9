/** Random numbers that are repeatable by seed. */
export interface Dice {
  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** Chooses the first ones often, the last ones rarely. */
  pickSkewed<Value>(values: readonly Value[]): Value;
}

/** Mulberry32, by Tommy Ettinger: a fast 32-bit generator that is good enough for traffic. */
export function createDice(seed: number): Dice {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const at = <Value>(values: readonly Value[], share: number) =>
    values[Math.floor(share * values.length)] as Value;
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (share) => next() < share,
    pick: (values) => at(values, next()),
    pickSkewed: (values) => at(values, next() ** 3),
  };
}
