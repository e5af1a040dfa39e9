import { writeTexts } from './native-block.js';
import type { NativeWriter } from './native-writer.js';
import { TextDictionary } from './text-dictionary.js';

/** Appends the values of all rows. */
export type ColumnWriter = (writer: NativeWriter) => void;

type NumberArray = Uint32Array | Float64Array;

const FIRST_CAPACITY = 1_024;

/** A growing list of numbers. Its memory is reused from batch to batch. */
export class NumberColumn<Numbers extends NumberArray> {
  private values: Numbers;
  private count = 0;

  constructor(private readonly create: (capacity: number) => Numbers) {
    this.values = create(FIRST_CAPACITY);
  }

  get length(): number {
    return this.count;
  }

  push(value: number): void {
    if (this.count === this.values.length) this.grow();
    this.values[this.count++] = value;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }

  /** Returns a view that is valid until the next `push`. */
  numbers(): Numbers {
    return this.values.subarray(0, this.count) as Numbers;
  }

  clear(): void {
    this.count = 0;
  }

  private grow(): void {
    const larger = this.create(2 * this.values.length);
    larger.set(this.values);
    this.values = larger;
  }
}

/** Indexes of rows, or of values that rows share. */
export type IndexColumn = NumberColumn<Uint32Array>;

export function createIndexColumn(): IndexColumn {
  return new NumberColumn((capacity) => new Uint32Array(capacity));
}

export function createFloatColumn(): NumberColumn<Float64Array> {
  return new NumberColumn((capacity) => new Float64Array(capacity));
}

/** A column of texts, written as LowCardinality(String). */
export class TextColumn {
  readonly dictionary = new TextDictionary();
  private readonly rows = createIndexColumn();

  /**
   * Adds a row. Returns the index of its text in the dictionary. The text is new if the index was `dictionary.size`.
   */
  add(text: string): number {
    const index = this.dictionary.indexOf(text);
    this.rows.push(index);
    return index;
  }

  /** Returns the index of each row's text. */
  get indexes(): Uint32Array {
    return this.rows.numbers();
  }

  readonly write: ColumnWriter = (writer) => writeTexts(writer, this.dictionary, this.indexes);

  clear(): void {
    this.dictionary.clear();
    this.rows.clear();
  }
}
