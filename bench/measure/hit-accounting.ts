import type { HitAccount } from '../servers/server-kind.js';

export interface SeenFromOutside {
  /** Redirects that were received. */
  readonly answered: number;
  /** Requests that may or may not have been answered. */
  readonly uncertain: number;
  readonly samplingRate: number;
}

/**
 * Compares the server's hit counts with the counts seen from outside. Returns the mismatch, or `undefined` if all
 * counts agree.
 */
export function unaccountedHits(hits: HitAccount, seen: SeenFromOutside): string | undefined {
  if (hits.answered < seen.answered || hits.answered > seen.answered + seen.uncertain) {
    return `it counted ${hits.answered} requests, of which ${seen.answered} to ${seen.answered + seen.uncertain} happened`;
  }
  if (seen.samplingRate === 1 && hits.recorded !== hits.answered) {
    return `it recorded ${hits.recorded} hits of ${hits.answered} requests`;
  }
  if (seen.samplingRate === 0 && hits.recorded !== 0)
    return `it recorded ${hits.recorded} hits and was to record none`;
  const { recorded, delivered, dropped, spooled } = hits;
  if (recorded !== delivered + dropped + spooled) {
    return `it recorded ${recorded} hits, but delivered ${delivered}, dropped ${dropped} and kept ${spooled}`;
  }
  return undefined;
}
