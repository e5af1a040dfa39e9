const CHUNK_BITS = 12;
const CHUNK_ROWS = 2 ** CHUNK_BITS;

/**
 * Rows of doubles, all 0 at first, addressed by row number. Doubles hold every integer up to 2^53. The rows are in
 * typed arrays, so the garbage collector has no objects to traverse. The arrays are chunks, because growing one large
 * array would copy it.
 */
export class NumberRows {
  private readonly chunks: Float64Array[] = [];

  /** @param width numbers per row */
  constructor(private readonly width: number) {}

  at(thing: number, field: number): number {
    return this.chunks[thing >>> CHUNK_BITS]?.[this.startOf(thing) + field] ?? 0;
  }

  set(thing: number, field: number, value: number): void {
    this.chunkOf(thing)[this.startOf(thing) + field] = value;
  }

  /**
   * Returns the array with the numbers of a row, for callers that change several of them. The numbers begin at
   * `startOf`.
   */
  chunkOf(thing: number): Float64Array {
    const place = thing >>> CHUNK_BITS;
    const chunk = this.chunks[place] ?? new Float64Array(this.width * CHUNK_ROWS);
    this.chunks[place] = chunk;
    return chunk;
  }

  /** Returns the position of a row's first number in its chunk. */
  startOf(thing: number): number {
    return this.width * (thing % CHUNK_ROWS);
  }
}
