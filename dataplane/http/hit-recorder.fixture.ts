import type { HitRecorder } from '../hits/hit-recorder.js';
import { createHitSlot, type HitSlot } from '../hits/hit-slot.js';
import { createRedirectTallies } from '../hits/redirect-tallies.js';
import { createRuleTallies } from '../hits/rule-tallies.js';

export interface KeptHits extends HitRecorder {
  /** All hits recorded so far. */
  readonly hits: readonly HitSlot[];
  /** Answered requests of a redirect. */
  requestsOf(redirectId: string): number;
  /** Decisions of a rule for a variant; empty without. */
  ruleHitsOf(redirectId: string, ruleId: number, variant: string): number;
  readonly isStarted: boolean;
  readonly isStopped: boolean;
}

/** A recorder that keeps its hits where a test can see them. Records every hit of a rate above 0. */
export function createKeptHits(): KeptHits {
  const tallies = createRedirectTallies();
  const ruleTallies = createRuleTallies();
  const hits: HitSlot[] = [];
  let isStarted = false;
  let isStopped = false;
  return {
    hits,
    get isStarted() {
      return isStarted;
    },
    get isStopped() {
      return isStopped;
    },
    tallyOf: tallies.of,
    countRequest: tallies.countRequest,
    requestsOf: (redirectId) => tallies.totalsOf(tallies.of(redirectId)).requests,
    ruleHitsOf: (...rule) => ruleTallies.hitsOf(ruleTallies.of(...rule)),
    ruleTallyOf: ruleTallies.of,
    countMatch: ruleTallies.count,
    shouldRecord: (samplingRate) => samplingRate > 0,
    claim(tally, redirectId, samplingRate) {
      const hit = { ...createHitSlot(), tally, redirectId, samplingRate };
      hits.push(hit);
      return hit;
    },
    start() {
      isStarted = true;
    },
    async stop() {
      isStopped = true;
    },
    stats: () => ({
      recorded: hits.length,
      delivered: 0,
      dropped: 0,
      buffered: hits.length,
      spooled: 0,
      spoolBytes: 0,
      recoveredBatches: 0,
      lost: 0,
      damagedBytes: 0,
      deliveryErrors: 0,
      spoolErrors: 0,
    }),
  };
}
