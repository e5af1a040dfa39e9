import { describe, expect, it } from 'vitest';
import { countersOf } from './batch-counters.fixture.js';
import { createCounterTexts } from './counter-texts.js';
import { createRedirectTallies } from './redirect-tallies.js';

function setUp() {
  const texts = createCounterTexts();
  const tallies = createRedirectTallies(texts);
  return { tallies, takeChanged: () => countersOf(tallies.takeChanged(), texts) };
}

describe('the tallies of redirects', () => {
  it('go on growing from what was taken, and are taken when they grew', () => {
    const { tallies, takeChanged } = setUp();
    const [a, b] = [tallies.of('a'), tallies.of('b')];
    tallies.countRequest(a);
    tallies.countRequest(a);
    tallies.countRecorded(a);
    expect(takeChanged()).toEqual([{ redirectId: 'a', requests: 2, recorded: 1, dropped: 0 }]);
    expect(takeChanged()).toEqual([]);
    tallies.countDropped(b);
    tallies.countRequest(a);
    expect(takeChanged()).toEqual([
      { redirectId: 'b', requests: 0, recorded: 0, dropped: 1 },
      { redirectId: 'a', requests: 3, recorded: 1, dropped: 0 },
    ]);
  });

  it('are kept apart, however many there are', () => {
    const { tallies, takeChanged } = setUp();
    const ids = Array.from({ length: 10_000 }, (_, i) => `id-${i}`);
    for (const [i, id] of ids.entries()) {
      for (let count = 0; count <= i % 3; count += 1) tallies.countRequest(tallies.of(id));
    }
    const requests = takeChanged().map((totals) => [totals.redirectId, totals.requests]);
    expect(requests).toEqual(ids.map((id, i) => [id, 1 + (i % 3)]));
  });
});
