/**
 * Identifies a row. The id of a row of up to 32 bits is the row itself. The id of a longer row is its start in the
 * table. A negative id is `~start` of a row that is stored as differences from another row: start of the other row,
 * number of different words, then index and content of each word, ascending.
 */
export type RowRef = number;

export const BITS = 32;

/** Returns the number of words in a row of `bits` bits. */
export function wordsFor(bits: number): number {
  return Math.ceil(bits / BITS);
}

/** Returns a row of `bits` bits, all set, and none after them. */
export function fullRow(bits: number): Int32Array {
  const row = new Int32Array(wordsFor(bits)).fill(-1);
  if (bits % BITS !== 0) row[row.length - 1] = ~(-1 << (bits % BITS));
  return row;
}

export function setBit(row: Int32Array, bit: number): void {
  row[bit >>> 5] = (row[bit >>> 5] ?? 0) | (1 << bit);
}

export function clearBit(row: Int32Array, bit: number): void {
  row[bit >>> 5] = (row[bit >>> 5] ?? 0) & ~(1 << bit);
}

/** Stores rows of bits of one length, and returns the id of each. */
export interface RowWriter {
  add(row: Int32Array): RowRef;
  /** Adds the row that equals `base` with `bits` inverted. Repeated bits count once. */
  addFlipped(baseRef: RowRef, base: Int32Array, bits: readonly number[]): RowRef;
}

/** Stores rows of one word: the id is the word. */
export const SINGLE_WORDS: RowWriter = {
  add: (row) => row[0] ?? 0,
  addFlipped(baseRef, _, bits) {
    let flips = 0;
    for (const bit of bits) flips |= 1 << bit;
    return baseRef ^ flips;
  },
};

/**
 * Stores rows one after another. Rows that differ little from their base are stored as differences. `finish` returns
 * the table.
 */
export class RowTable implements RowWriter {
  private readonly words: number[] = [];

  add(row: Int32Array): RowRef {
    const start = this.words.length;
    for (const word of row) this.words.push(word);
    return start;
  }

  addFlipped(baseRef: RowRef, base: Int32Array, bits: readonly number[]): RowRef {
    const flips = new Map<number, number>();
    for (const bit of bits) flips.set(bit >>> 5, (flips.get(bit >>> 5) ?? 0) | (1 << bit));
    const changed = [...flips].sort(([one], [other]) => one - other);
    const wordAt = (place: number, flip: number) => (base[place] ?? 0) ^ flip;
    if (2 + 2 * changed.length < base.length) {
      const start = this.words.length;
      this.words.push(baseRef, changed.length);
      for (const [place, flip] of changed) this.words.push(place, wordAt(place, flip));
      return ~start;
    }
    const row = base.slice();
    for (const [place, flip] of changed) row[place] = wordAt(place, flip);
    return this.add(row);
  }

  finish(): Int32Array {
    return Int32Array.from(this.words);
  }
}
