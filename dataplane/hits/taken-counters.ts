import type { CounterRecords } from '../../shared/hits/counter-records.js';

/** Counters as of the moment when they were taken. Later counts do not change them. */
export interface TakenCounters {
  readonly count: number;
  /** Adds the counter of an index below `count`. */
  write(index: number, records: CounterRecords): void;
}
