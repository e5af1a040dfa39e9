import { readCounters } from '../../shared/hits/read-counters.js';
import { NativeReader } from '../../shared/native/native-reader.js';
import type { ChangedCounters } from './hit-counters.js';

/** Counters of the next batch, and the number of steps that wrote them. `between` is called between two steps. */
export function nextCounters(changed: ChangedCounters, between = () => {}) {
  const steps = changed.writeNext();
  for (let count = 1; ; count += 1) {
    const { done, value } = steps.next();
    if (done) return { steps: count, byteLength: value.length, ...readCounters(new NativeReader(value)) };
    between();
  }
}
