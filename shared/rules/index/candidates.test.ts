import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrayBitset, type Candidates, WordBitset } from './candidates.js';
import { BITS, fullRow, RowTable, type RowWriter, SINGLE_WORDS, setBit, wordsFor } from './row-table.js';

const LENGTHS = [1, 31, 32, 33, 64, 100, 500, 1_000];

/** Rows as a test sees them: the bits that are set. */
type Bits = ReadonlySet<number>;

function rowOf(bits: Iterable<number>, length: number): Int32Array {
  const row = new Int32Array(wordsFor(length));
  for (const bit of bits) setBit(row, bit);
  return row;
}

function flipped(base: Bits, bits: Iterable<number>): Bits {
  const row = new Set(base);
  for (const bit of bits) if (!row.delete(bit)) row.add(bit);
  return row;
}

/** What is left, as `firstFrom` tells it. */
function clausesIn(candidates: Candidates): number[] {
  const clauses: number[] = [];
  for (let clause = candidates.firstFrom(0); clause !== -1; clause = candidates.firstFrom(clause + 1))
    clauses.push(clause);
  return clauses;
}

/** Rows are to be added before `begin` is called first. */
function setUp(length: number) {
  return length <= BITS ? fewOf() : manyOf(length);
}

interface Parts {
  readonly table: RowWriter;
  begin(bits: Iterable<number>): Candidates;
}

function fewOf(): Parts {
  const candidates = new WordBitset();
  return {
    table: SINGLE_WORDS,
    begin(bits) {
      candidates.startWith(SINGLE_WORDS.add(rowOf(bits, BITS)));
      return candidates;
    },
  };
}

function manyOf(length: number): Parts {
  const table = new RowTable();
  let candidates: ArrayBitset | undefined;
  return {
    table,
    begin(bits) {
      if (candidates === undefined) {
        const union = table.add(fullRow(length));
        candidates = new ArrayBitset(table.finish(), wordsFor(length), union);
      }
      candidates.startWith(rowOf(bits, length));
      return candidates;
    },
  };
}

const inOrder = (bits: Iterable<number>) => [...bits].sort((one, other) => one - other);

/** A length, some bits to begin with, a base row and rows that differ from it in a few bits or in many. */
const situation = fc.constantFrom(...LENGTHS).chain((length) => {
  const bit = fc.nat({ max: length - 1 });
  const few = fc.uniqueArray(bit, { maxLength: 4 });
  const any = fc.oneof(
    few,
    fc.uniqueArray(bit, { maxLength: length }),
    fc.constant([...Array(length).keys()]),
  );
  return fc.record({
    length: fc.constant(length),
    start: any,
    base: any,
    flips: fc.array(fc.oneof(few, any), { minLength: 1, maxLength: 4 }),
  });
});

describe('candidates', () => {
  it('narrowed by rows are those that are in every row', () => {
    fc.assert(
      fc.property(situation, ({ length, start, base, flips }) => {
        const { table, begin } = setUp(length);
        const baseRow = rowOf(base, length);
        const baseRef = table.add(baseRow);
        const refs = flips.map((bits) => table.addFlipped(baseRef, baseRow, bits));
        const rows = flips.map((bits) => flipped(new Set(base), bits));
        const candidates = begin(start);
        for (const ref of refs) candidates.narrow(ref);
        const expected = start.filter((bit) => rows.every((row) => row.has(bit)));
        expect(clausesIn(candidates)).toEqual(inOrder(expected));
        expect(candidates.isEmpty).toBe(expected.length === 0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('narrowed by the union of rows are those that are in any of them', () => {
    fc.assert(
      fc.property(situation, fc.boolean(), ({ length, start, base, flips }, withBase) => {
        const { table, begin } = setUp(length);
        const baseRow = rowOf(base, length);
        const baseRef = table.add(baseRow);
        // The rows of a union have more bits than their base, never fewer.
        const added = flips.map((bits) => bits.filter((bit) => !base.includes(bit)));
        const refs = added.map((bits) => table.addFlipped(baseRef, baseRow, bits));
        const union = new Set([...base, ...added.flat()]);
        for (const round of [1, 2]) {
          const candidates = begin(start);
          candidates.startUnion();
          for (const ref of withBase ? [baseRef, ...refs] : refs) candidates.addToUnion(ref);
          candidates.narrowToUnion();
          expect(clausesIn(candidates), `round ${round}`).toEqual(
            inOrder(start.filter((bit) => union.has(bit))),
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('have any of a row when one of its clauses is left', () => {
    fc.assert(
      fc.property(situation, ({ length, start, base }) => {
        const { table, begin } = setUp(length);
        const ref = table.add(rowOf(base, length));
        expect(begin(start).hasAnyOf(ref)).toBe(start.some((bit) => base.includes(bit)));
      }),
    );
  });

  it.each([32, 128])('begin anew without a trace of the last time, %i of them', (length) => {
    const { table, begin } = setUp(length);
    const none = table.add(rowOf([], length));
    const candidates = begin([5]);
    candidates.narrow(none);
    expect(candidates.isEmpty).toBe(true);
    expect(clausesIn(begin([0, 5, length - 1]))).toEqual([0, 5, length - 1]);
  });
});

describe('a row', () => {
  it.each(LENGTHS)('of all %i bits has no more of them', (length) => {
    const { table, begin } = setUp(length);
    const all = table.add(fullRow(length));
    const candidates = begin([...Array(length).keys()]);
    candidates.narrow(all);
    expect(clausesIn(candidates)).toEqual([...Array(length).keys()]);
  });

  it('that differs in one bit from a long one takes little room', () => {
    const table = new RowTable();
    const base = fullRow(10_000);
    const baseRef = table.add(base);
    const before = table.finish().length;
    table.addFlipped(baseRef, base, [5_000]);
    expect(table.finish().length - before).toBeLessThan(8);
  });
});
