import { BITS, type RowRef } from './row-table.js';

/** The clauses that can still match a visitor. Each row removes some. */
export interface Candidates {
  readonly isEmpty: boolean;
  /** Returns whether any remaining clause is set in a row, which must be a full bitmap and not a difference. */
  hasAnyOf(row: RowRef): boolean;
  /** Keeps only the clauses that are set in a row. */
  narrow(row: RowRef): void;
  /** Begins a row that `addToUnion` fills and `narrowToUnion` applies. */
  startUnion(): void;
  /** Adds a row. A row that is stored as differences may only add bits to its base. */
  addToUnion(row: RowRef): void;
  narrowToUnion(): void;
  /** Returns the first clause at or after `clause`; -1 if there is none. */
  firstFrom(clause: number): number;
}

/** Candidates for up to 32 clauses, the bits of one word. Most redirects have no more. A row is one word. */
export class WordBitset implements Candidates {
  private bits = 0;
  private union = 0;

  get isEmpty(): boolean {
    return this.bits === 0;
  }

  /** Starts with the clauses of a row. */
  startWith(row: RowRef): void {
    this.bits = row;
  }

  hasAnyOf(row: RowRef): boolean {
    return (this.bits & row) !== 0;
  }

  narrow(row: RowRef): void {
    this.bits &= row;
  }

  startUnion(): void {
    this.union = 0;
  }

  addToUnion(row: RowRef): void {
    this.union |= row;
  }

  narrowToUnion(): void {
    this.bits &= this.union;
  }

  firstFrom(clause: number): number {
    const rest = clause < BITS ? this.bits & (-1 << clause) : 0;
    return rest === 0 ? -1 : BITS - 1 - Math.clz32(rest & -rest);
  }
}

/** Candidates for any number of clauses. A matcher creates them once and reuses them for each decision. */
export class ArrayBitset implements Candidates {
  private readonly words: Int32Array;
  /** All nonzero words are in the range from `from` (included) to `to` (excluded). */
  private from = 0;
  private to = 0;

  /** @param union row of the table that may be overwritten */
  constructor(
    private readonly table: Int32Array,
    wordCount: number,
    private readonly union: RowRef,
  ) {
    this.words = new Int32Array(wordCount);
  }

  get isEmpty(): boolean {
    return this.from === this.to;
  }

  /** Starts with the clauses of `row`. */
  startWith(row: Int32Array): void {
    this.words.set(row);
    this.from = 0;
    this.to = row.length;
    this.trim();
  }

  hasAnyOf(row: RowRef): boolean {
    const { table, words, to } = this;
    for (let place = this.from; place < to; place += 1) {
      if (((words[place] ?? 0) & (table[row + place] ?? 0)) !== 0) return true;
    }
    return false;
  }

  narrow(row: RowRef): void {
    if (row >= 0) this.and(row, this.from, this.to);
    else this.narrowByDifferences(~row);
    this.trim();
  }

  startUnion(): void {
    this.table.fill(0, this.union + this.from, this.union + this.to);
  }

  addToUnion(row: RowRef): void {
    if (row >= 0) this.unite(row);
    else this.uniteByDifferences(~row);
  }

  narrowToUnion(): void {
    this.narrow(this.union);
  }

  firstFrom(clause: number): number {
    const start = Math.max(clause >>> 5, this.from);
    let rest = start === clause >>> 5 ? -1 << clause : -1;
    for (let place = start; place < this.to; place += 1) {
      const word = (this.words[place] ?? 0) & rest;
      if (word !== 0) return place * BITS + (31 - Math.clz32(word & -word));
      rest = -1;
    }
    return -1;
  }

  private and(row: number, from: number, to: number): void {
    const { table, words } = this;
    for (let place = from; place < to; place += 1) {
      words[place] = (words[place] ?? 0) & (table[row + place] ?? 0);
    }
  }

  private narrowByDifferences(start: number): void {
    const { table, words, to } = this;
    const base = table[start] ?? 0;
    const end = start + 2 + 2 * (table[start + 1] ?? 0);
    let place = this.from;
    for (let at = start + 2; at < end; at += 2) {
      const changed = table[at] ?? 0;
      if (changed < place) continue;
      if (changed >= to) break;
      this.and(base, place, changed);
      words[changed] = (words[changed] ?? 0) & (table[at + 1] ?? 0);
      place = changed + 1;
    }
    this.and(base, place, to);
  }

  private unite(row: number): void {
    const { table, union, to } = this;
    for (let place = this.from; place < to; place += 1) {
      table[union + place] = (table[union + place] ?? 0) | (table[row + place] ?? 0);
    }
  }

  private uniteByDifferences(start: number): void {
    const { table, union } = this;
    this.unite(table[start] ?? 0);
    const end = start + 2 + 2 * (table[start + 1] ?? 0);
    for (let at = start + 2; at < end; at += 2) {
      const place = table[at] ?? 0;
      table[union + place] = (table[union + place] ?? 0) | (table[at + 1] ?? 0);
    }
  }

  private trim(): void {
    const { words } = this;
    while (this.from < this.to && words[this.from] === 0) this.from += 1;
    while (this.from < this.to && words[this.to - 1] === 0) this.to -= 1;
  }
}
