const CHUNK_BITS = 12;
const CHUNK_ROWS = 2 ** CHUNK_BITS;

/**
 * Some numbers to each of many things that are numbered themselves, all 0 at first. They are doubles, which hold every
 * integer up to 2^53, and no objects: a million things are nothing for the garbage collector to walk. In chunks, since one
 * array would have to be copied as it grows.
 */
export class NumberRows {
  private readonly chunks: Float64Array[] = [];

  /** @param width numbers of each thing */
  constructor(private readonly width: number) {}

  at(thing: number, field: number): number {
    return this.chunks[thing >>> CHUNK_BITS]?.[this.startOf(thing) + field] ?? 0;
  }

  set(thing: number, field: number, value: number): void {
    this.chunkOf(thing)[this.startOf(thing) + field] = value;
  }

  /** The numbers among which those of a thing are, see `startOf`; for those who change some of them together. */
  chunkOf(thing: number): Float64Array {
    const place = thing >>> CHUNK_BITS;
    const chunk = this.chunks[place] ?? new Float64Array(this.width * CHUNK_ROWS);
    this.chunks[place] = chunk;
    return chunk;
  }

  /** Where the numbers of a thing begin in its chunk. */
  startOf(thing: number): number {
    return this.width * (thing % CHUNK_ROWS);
  }
}
