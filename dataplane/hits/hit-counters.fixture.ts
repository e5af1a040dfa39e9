import { CounterRecords } from '../../shared/hits/counter-records.js';
import type { RedirectCounters } from '../../shared/hits/hit-batch.js';
import { readCounters } from '../../shared/hits/read-counters.js';
import { NativeReader } from '../../shared/native/native-reader.js';
import type { ChangedCounters } from './batch-counters.js';
import type { CounterTexts } from './counter-texts.js';
import type { TakenCounters } from './taken-counters.js';

/** Counters of redirects as a batch has them. */
export function countersOf(taken: TakenCounters, texts: CounterTexts): readonly RedirectCounters[] {
  const records = new CounterRecords(texts.redirectIds, texts.variants);
  for (let index = 0; index < taken.count; index += 1) taken.write(index, records);
  return readCounters(new NativeReader(records.written())).counters;
}

/** Counters of the next batch, and the number of steps that wrote them. `between` is called between two steps. */
export function nextCounters(changed: ChangedCounters, between = () => {}) {
  const steps = changed.writeNext();
  for (let count = 1; ; count += 1) {
    const { done, value } = steps.next();
    if (done) return { steps: count, byteLength: value.length, ...readCounters(new NativeReader(value)) };
    between();
  }
}
