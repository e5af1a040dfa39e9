import type { CounterRecords } from '../../shared/hits/counter-records.js';

/** Counters as they were when they were taken, whatever is counted since. */
export interface TakenCounters {
  readonly count: number;
  /** Adds the one of an index below `count`. */
  write(index: number, records: CounterRecords): void;
}
