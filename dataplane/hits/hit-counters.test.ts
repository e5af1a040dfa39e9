import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleCounters } from '../../shared/hits/hit-batch.js';
import { nextCounters } from './hit-counters.fixture.js';
import { createHitCounters } from './hit-counters.js';
import { DEFAULT_HIT_LIMITS, type HitLimits } from './hit-limits.js';

function setUp(limits: Partial<HitLimits> = {}) {
  const counters = createHitCounters({ ...DEFAULT_HIT_LIMITS, ...limits });
  const request = (id: string) => counters.countRequest(counters.tallyOf(id));
  const decide = (redirectId: string, ruleId: number, variant: string, isPerson = true) =>
    counters.countMatch(counters.ruleTallyOf(redirectId, ruleId, variant), isPerson);
  const takeBatches = () => {
    const changed = counters.takeChanged();
    const batches: ReturnType<typeof nextCounters>[] = [];
    while (!changed.isEmpty) batches.push(nextCounters(changed));
    return batches;
  };
  return { counters, request, decide, takeBatches };
}

const ids = fc.constantFrom('a', 'b', 'žluťoučký', 'with "quotes"', 'x'.repeat(128));
const events = fc.array(
  fc.record({
    redirectId: ids,
    ruleId: fc.constantFrom(0, 1, 7, 2 ** 40),
    variant: fc.constantFrom('', 'blue', 'grün & blau', '\\ "'),
    isPerson: fc.boolean(),
  }),
  { maxLength: 40 },
);

/** The latest that was said of each rule and variant. */
function latestOf(counters: readonly RuleCounters[]) {
  return Object.fromEntries(
    counters.map(({ redirectId, ruleId, variant, hits, humanHits }) => [
      JSON.stringify([redirectId, ruleId, variant]),
      [hits, humanHits],
    ]),
  );
}

describe('the counters of batches', () => {
  it('are the totals of everything that was counted, however it is split', () => {
    fc.assert(
      fc.property(fc.array(events), fc.integer({ min: 1, max: 5 }), (flushes, batchCounters) => {
        const { request, decide, takeBatches } = setUp({ batchCounters });
        const requests: Record<string, number> = {};
        const hits: Record<string, readonly [all: number, human: number]> = {};
        const batches = flushes.flatMap((flush) => {
          for (const { redirectId, ruleId, variant, isPerson } of flush) {
            request(redirectId);
            requests[redirectId] = (requests[redirectId] ?? 0) + 1;
            if (ruleId === 0) continue;
            decide(redirectId, ruleId, variant, isPerson);
            const rule = JSON.stringify([redirectId, ruleId, variant]);
            const [all, human] = hits[rule] ?? [0, 0];
            hits[rule] = [all + 1, human + Number(isPerson)];
          }
          return takeBatches();
        });
        const counters = batches.flatMap((batch) => batch.counters);
        expect(Object.fromEntries(counters.map((of) => [of.redirectId, of.requests]))).toEqual(requests);
        expect(latestOf(batches.flatMap((batch) => batch.ruleCounters))).toEqual(hits);
        for (const batch of batches)
          expect(batch.counters.length + batch.ruleCounters.length).toBeLessThanOrEqual(batchCounters);
      }),
      { numRuns: 40 },
    );
  });

  it('stay as they were taken while others are counted between the steps of writing them', () => {
    const { counters, request, decide, takeBatches } = setUp();
    const many = Array.from({ length: 1_000 }, (_, i) => `id-${i}`);
    const countAll = () => {
      for (const id of many) {
        request(id);
        decide(id, 7, '');
      }
    };
    countAll();
    const changed = counters.takeChanged();
    const first = nextCounters(changed, countAll);
    expect(changed.isEmpty).toBe(true);
    expect(first.steps).toBeGreaterThan(2);
    expect(first.counters.map(({ redirectId, requests }) => [redirectId, requests])).toEqual(
      many.map((id) => [id, 1]),
    );
    expect(first.ruleCounters.map(({ redirectId, hits }) => [redirectId, hits])).toEqual(
      many.map((id) => [id, 1]),
    );
    const [second] = takeBatches();
    expect(new Set(second!.counters.map(({ requests }) => requests))).toEqual(new Set([first.steps]));
    expect(takeBatches()).toEqual([]);
  });

  it('name a redirect once in a batch, and anew in the next one', () => {
    const redirectId = 'r'.repeat(100);
    const { request, decide, takeBatches } = setUp({ batchCounters: 3 });
    request(redirectId);
    for (const ruleId of [1, 2, 3, 4]) decide(redirectId, ruleId, '');
    const batches = takeBatches();
    const rule = (ruleId: number) => ({ redirectId, ruleId, variant: '', hits: 1 });
    expect(batches).toMatchObject([
      { counters: [{ redirectId, requests: 1 }], ruleCounters: [rule(1), rule(2)] },
      { counters: [], ruleCounters: [rule(3), rule(4)] },
    ]);
    for (const { byteLength } of batches) expect(byteLength).toBeLessThan(200);
  });

  it('go on in the next batch when one has its bytes', () => {
    const { request, takeBatches } = setUp({ batchCounterBytes: 1_000 });
    const many = Array.from({ length: 200 }, (_, i) => `an-id-of-some-length-${i}`);
    for (const id of many) request(id);
    const batches = takeBatches();
    expect(batches.flatMap(({ counters }) => counters.map(({ redirectId }) => redirectId))).toEqual(many);
    for (const { byteLength } of batches) expect(byteLength).toBeLessThan(1_050);
  });
});

describe('the tallies of redirects', () => {
  it('go on growing from what was taken, and are taken when they grew', () => {
    const counters = createHitCounters();
    const takeChanged = () => nextCounters(counters.takeChanged()).counters;
    const [a, b] = [counters.tallyOf('a'), counters.tallyOf('b')];
    counters.countRequest(a);
    counters.countRequest(a);
    counters.countRecorded(a);
    expect(takeChanged()).toEqual([{ redirectId: 'a', requests: 2, recorded: 1, dropped: 0 }]);
    expect(takeChanged()).toEqual([]);
    counters.countDropped(b);
    counters.countRequest(a);
    expect(takeChanged()).toEqual([
      { redirectId: 'b', requests: 0, recorded: 0, dropped: 1 },
      { redirectId: 'a', requests: 3, recorded: 1, dropped: 0 },
    ]);
  });

  it('are kept apart, however many there are', () => {
    const counters = createHitCounters();
    const takeChanged = () => nextCounters(counters.takeChanged()).counters;
    const ids = Array.from({ length: 10_000 }, (_, i) => `id-${i}`);
    for (const [i, id] of ids.entries()) {
      for (let count = 0; count <= i % 3; count += 1) counters.countRequest(counters.tallyOf(id));
    }
    const requests = takeChanged().map((totals) => [totals.redirectId, totals.requests]);
    expect(requests).toEqual(ids.map((id, i) => [id, 1 + (i % 3)]));
  });
});
