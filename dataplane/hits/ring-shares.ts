import type { RedirectTally } from './hit-counters.js';

/** Use of a ring: a number of hits, and the length of their texts in UTF-16 units. */
export interface RingUse {
  hits: number;
  textLength: number;
}

/**
 * Above its fair part, a redirect may hold this many times the free space. A flood then leaves a third of the ring to
 * the others (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
 */
const TIMES_FREE = 2;

/** Each redirect's use of a ring. It is counted only while the ring is scarce. */
export class RingShares {
  private readonly held = new Map<RedirectTally, RingUse>();

  constructor(private readonly capacity: Readonly<RingUse>) {}

  add(tally: RedirectTally, hits: number, textLength: number): void {
    const use = this.held.get(tally);
    if (use === undefined) this.held.set(tally, { hits, textLength });
    else {
      use.hits += hits;
      use.textLength += textLength;
    }
  }

  remove(tally: RedirectTally, hits: number, textLength: number): void {
    const use = this.held.get(tally);
    if (use === undefined) return;
    use.hits -= hits;
    use.textLength -= textLength;
    if (use.hits <= 0) this.held.delete(tally);
  }

  /**
   * Returns whether a redirect may hold one more hit.
   *
   * @param taken use of all hits
   * @param fewest minimum number of redirects that share, including itself
   */
  mayGrow(tally: RedirectTally, taken: Readonly<RingUse>, fewest: number): boolean {
    const use = this.held.get(tally);
    if (use === undefined) return true;
    const { capacity } = this;
    const sharers = Math.max(fewest, this.held.size);
    return (
      isWithin(use.hits, capacity.hits, taken.hits, sharers) &&
      isWithin(use.textLength, capacity.textLength, taken.textLength, sharers)
    );
  }

  clear(): void {
    this.held.clear();
  }
}

function isWithin(held: number, capacity: number, taken: number, sharers: number): boolean {
  return held < capacity / sharers || held < TIMES_FREE * (capacity - taken);
}
