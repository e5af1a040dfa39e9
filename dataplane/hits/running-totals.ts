/** Totals of things that have numbers, some to each, since this process started; they only grow. */
export interface RunningTotals {
  /**
   * Adds one. For the visitor path.
   *
   * @param number of the thing, from 1 on
   * @param field which of its totals, from 0 on
   */
  count(number: number, field: number): void;
  totalOf(number: number, field: number): number;
  /** The numbers of the things that have a total that grew since the last call. */
  takeChanged(): number[];
}

const CHUNK_BITS = 12;

/**
 * Totals in arrays of numbers: a million things are nothing for the garbage collector to walk.
 *
 * @param fields totals of each thing
 */
export function createRunningTotals(fields: number): RunningTotals {
  const width = fields + 1;
  /** Doubles, which hold every number up to 2^53. In chunks: one array would have to be copied as it grows. */
  const chunks: Float64Array[] = [];
  let changed: number[] = [];

  function chunkOf(number: number): Float64Array {
    const place = number >>> CHUNK_BITS;
    const chunk = chunks[place] ?? new Float64Array(width * 2 ** CHUNK_BITS);
    chunks[place] = chunk;
    return chunk;
  }

  /** Where the thing is in its chunk: first whether it has changed, then its totals. */
  const startOf = (number: number) => width * (number % 2 ** CHUNK_BITS);

  return {
    count(number, field) {
      const chunk = chunkOf(number);
      const start = startOf(number);
      const at = start + 1 + field;
      chunk[at] = (chunk[at] ?? 0) + 1;
      if (chunk[start] === 1) return;
      chunk[start] = 1;
      changed.push(number);
    },
    totalOf: (number, field) => chunkOf(number)[startOf(number) + 1 + field] ?? 0,
    takeChanged() {
      const taken = changed;
      changed = [];
      for (const number of taken) chunkOf(number)[startOf(number)] = 0;
      return taken;
    },
  };
}
