import { createIndexColumn } from '../../shared/native/columns.js';
import { NumberRows } from '../../shared/native/number-rows.js';

/** Totals of numbered subjects, several each, since this process started. They only grow. */
export interface RunningTotals {
  /**
   * Adds one to a total. Safe on the visitor path.
   *
   * @param number of the subject, from 1
   * @param field index of the total, from 0
   */
  count(number: number, field: number): void;
  /** Returns the subjects with a total that grew since the last call, with all their current totals. */
  takeChanged(): TakenTotals;
}

export interface TakenTotals {
  readonly numbers: Uint32Array;
  /** The totals of the first subject, then those of the next. */
  readonly totals: Float64Array;
}

/** @param fields number of totals per subject */
export function createRunningTotals(fields: number): RunningTotals {
  /** Whether the subject has changed, followed by its totals. */
  const rows = new NumberRows(fields + 1);
  const changed = createIndexColumn();

  /** Copies the totals of a subject to `at`, and marks it as unchanged. */
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
