import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LiveSlots, type SlotPeriod } from './live-slots.js';
import { fullRow } from './row-table.js';

const SLOTS = 40;
const slots = [...Array(SLOTS).keys()];

const time = fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined });
const periods: fc.Arbitrary<SlotPeriod[]> = fc.uniqueArray(
  fc.record({ slot: fc.nat({ max: SLOTS - 1 }), startMs: time, endMs: time }),
  { selector: ({ slot }) => slot, maxLength: 10 },
);

it('slots are live from their start to their end, both included, whichever way the clock goes', () => {
  const clock = fc.array(fc.integer({ min: -25, max: 25 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(periods, clock, (somePeriods, times) => {
      const live = new LiveSlots(fullRow(SLOTS), somePeriods);
      for (const nowMs of times) {
        const row = live.at(nowMs);
        const expected = slots.filter((slot) => {
          const { startMs = -Infinity, endMs = Infinity } =
            somePeriods.find((one) => one.slot === slot) ?? {};
          return nowMs >= startMs && nowMs <= endMs;
        });
        expect(slots.filter((slot) => ((row[slot >>> 5]! >>> (slot & 31)) & 1) === 1)).toEqual(expected);
      }
    }),
    { numRuns: 500 },
  );
});
