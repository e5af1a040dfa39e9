import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ClausePeriod, LiveClauses } from './live-clauses.js';
import { fullRow } from './row-table.js';

const SLOTS = 40;
const clauses = [...Array(SLOTS).keys()];

const time = fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined });
const periods: fc.Arbitrary<ClausePeriod[]> = fc.uniqueArray(
  fc.record({ clause: fc.nat({ max: SLOTS - 1 }), startMs: time, endMs: time }),
  { selector: ({ clause }) => clause, maxLength: 10 },
);

it('clauses are live from their start to their end, both included, whichever way the clock goes', () => {
  const clock = fc.array(fc.integer({ min: -25, max: 25 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(periods, clock, (somePeriods, times) => {
      const live = new LiveClauses(fullRow(SLOTS), somePeriods);
      for (const nowMs of times) {
        const row = live.at(nowMs);
        const expected = clauses.filter((clause) => {
          const { startMs = -Infinity, endMs = Infinity } =
            somePeriods.find((one) => one.clause === clause) ?? {};
          return nowMs >= startMs && nowMs <= endMs;
        });
        expect(clauses.filter((clause) => ((row[clause >>> 5]! >>> (clause & 31)) & 1) === 1)).toEqual(
          expected,
        );
      }
    }),
    { numRuns: 500 },
  );
});
