import { LRUCache } from 'lru-cache';
import { type VerificationOutcome, zoneOf } from '../domains/public.js';

const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 3_600_000;
const MAX_ZONES = 10_000;

/** Outcomes that concern the name servers of a zone rather than one name. */
const SERVER_FAILURES: readonly VerificationOutcome['kind'][] = ['timedOut', 'serverFailure', 'refused'];

/** Remembers zones whose name servers fail. Otherwise each of a thousand names of a zone would wait for them. */
export interface FailingZones {
  /** Returns the rest of the pause of a domain's zone in milliseconds; 0 if the zone may be queried now. */
  pauseLeftMs(domain: string): number;
  note(domain: string, outcome: VerificationOutcome['kind']): void;
}

/** @param nowMs milliseconds since any fixed moment */
export function createFailingZones(nowMs: () => number = () => performance.now()): FailingZones {
  const zones = new LRUCache<string, { readonly pauseMs: number; readonly untilMs: number }>({
    max: MAX_ZONES,
  });

  return {
    pauseLeftMs: (domain) => Math.max(0, (zones.get(zoneOf(domain))?.untilMs ?? -Infinity) - nowMs()),

    note(domain, outcome) {
      const zone = zoneOf(domain);
      if (!SERVER_FAILURES.includes(outcome)) {
        zones.delete(zone);
        return;
      }
      const known = zones.get(zone);
      // Checks that began together count as one failure.
      if (known !== undefined && known.untilMs > nowMs()) return;
      const pauseMs = known === undefined ? FIRST_PAUSE_MS : Math.min(2 * known.pauseMs, MAX_PAUSE_MS);
      zones.set(zone, { pauseMs, untilMs: nowMs() + pauseMs });
    },
  };
}
