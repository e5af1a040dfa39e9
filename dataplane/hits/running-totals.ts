import { createIndexColumn } from '../../shared/native/columns.js';
import { NumberRows } from '../../shared/native/number-rows.js';

/** Totals of things that have numbers, some to each, since this process started; they only grow. */
export interface RunningTotals {
  /**
   * Adds one to a total. Safe on the visitor path.
   *
   * @param number of the thing, from 1 on
   * @param field which of its totals, from 0 on
   */
  count(number: number, field: number): void;
  /** The things that have a total that grew since the last call, with all their totals as they are now. */
  takeChanged(): TakenTotals;
}

export interface TakenTotals {
  readonly numbers: Uint32Array;
  /** The totals of the first thing, then those of the next. */
  readonly totals: Float64Array;
}

/** @param fields totals of each thing */
export function createRunningTotals(fields: number): RunningTotals {
  /** First whether the thing has changed, then its totals. */
  const rows = new NumberRows(fields + 1);
  const changed = createIndexColumn();

  /** Copies the totals of a thing to `at`, and notes that it has not changed. */
  function take(number: number, totals: Float64Array, at: number): void {
    const chunk = rows.chunkOf(number);
    const start = rows.startOf(number);
    chunk[start] = 0;
    for (let field = 0; field < fields; field += 1) totals[at + field] = chunk[start + 1 + field] ?? 0;
  }

  return {
    count(number, field) {
      const chunk = rows.chunkOf(number);
      const start = rows.startOf(number);
      const at = start + 1 + field;
      chunk[at] = (chunk[at] ?? 0) + 1;
      if (chunk[start] === 1) return;
      chunk[start] = 1;
      changed.push(number);
    },
    takeChanged() {
      const numbers = changed.numbers().slice();
      changed.clear();
      const totals = new Float64Array(fields * numbers.length);
      for (let index = 0; index < numbers.length; index += 1)
        take(numbers[index] ?? 0, totals, fields * index);
      return { numbers, totals };
    },
  };
}
