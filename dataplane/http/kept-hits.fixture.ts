import { createBotDetection } from '../hits/bot-reason.js';
import { nextCounters } from '../hits/hit-counters.fixture.js';
import { createHitCounters } from '../hits/hit-counters.js';
import type { HitRecorder } from '../hits/hit-recorder.js';
import { createHitSlot, type HitSlot } from '../hits/hit-slot.js';

export interface KeptHits extends HitRecorder {
  /** All recorded hits. */
  readonly hits: readonly HitSlot[];
  /** Number of answered requests of a redirect. */
  requestsOf(redirectId: string): number;
  /** Number of decisions of a rule for a variant; the variant is empty for rules without variants. */
  ruleHitsOf(redirectId: string, ruleId: number, variant: string): number;
  /** Number of these decisions for people. */
  humanHitsOf(redirectId: string, ruleId: number, variant: string): number;
  readonly isStarted: boolean;
  readonly isStopped: boolean;
}

/** A recorder that keeps its hits for tests. Records every hit of a rate above 0. */
export function createKeptHits(): KeptHits {
  const counters = createHitCounters();
  const requests = new Map<string, number>();
  const ruleHits = new Map<string, number>();
  const humanHits = new Map<string, number>();
  const hits: HitSlot[] = [];
  let isStarted = false;
  let isStopped = false;

  /** Reads the current counters as batches would have them. */
  function takeCounters(): void {
    const changed = counters.takeChanged();
    while (!changed.isEmpty) {
      const next = nextCounters(changed);
      for (const of of next.counters) requests.set(of.redirectId, of.requests);
      for (const { redirectId, ruleId, variant, hits: total, humanHits: human = 0 } of next.ruleCounters) {
        ruleHits.set(ruleKey(redirectId, ruleId, variant), total);
        humanHits.set(ruleKey(redirectId, ruleId, variant), human);
      }
    }
  }

  return {
    hits,
    get isStarted() {
      return isStarted;
    },
    get isStopped() {
      return isStopped;
    },
    tallyOf: counters.tallyOf,
    countRequest: counters.countRequest,
    requestsOf(redirectId) {
      takeCounters();
      return requests.get(redirectId) ?? 0;
    },
    ruleHitsOf(...rule) {
      takeCounters();
      return ruleHits.get(ruleKey(...rule)) ?? 0;
    },
    humanHitsOf(...rule) {
      takeCounters();
      return humanHits.get(ruleKey(...rule)) ?? 0;
    },
    ruleTallyOf: counters.ruleTallyOf,
    isPerson: createBotDetection().isPerson,
    countMatch: counters.countMatch,
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
      refusedByShare: 0,
      unparsedAgents: 0,
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

function ruleKey(...rule: Parameters<KeptHits['ruleHitsOf']>): string {
  return JSON.stringify(rule);
}
