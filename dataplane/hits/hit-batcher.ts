import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HitBatch, RedirectCounters, RuleCounters } from '../../shared/hits/hit-batch.js';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { compressBlock } from '../../shared/hits/hit-block-compression.js';
import type { HitBacklog } from './hit-backlog.js';
import type { HitEncoder } from './hit-encoder.js';
import type { HitLimits } from './hit-limits.js';
import type { HitRing } from './hit-ring.js';
import type { RedirectTallies } from './redirect-tallies.js';
import type { RuleTallies } from './rule-tallies.js';

/** Turns what has been recorded into batches. */
export interface HitBatcher {
  /**
   * Moves what is in the ring now, and the counters that changed, to the backlog; what is recorded meanwhile goes
   * with the next flush. Waits while the backlog has no room, which leaves the ring to fill up. Must not run
   * twice at a time.
   *
   * @param signal ends the waiting; what has no room then stays in the ring
   */
  flush(signal: AbortSignal): Promise<void>;
  /**
   * Encodes hits that wait in the ring, as many as one turn may take; they are held by it until the next flush, or
   * all wait for that if one is at work.
   *
   * @throws what the encoder throws; the hit in question then waits for the next flush
   */
  encodeWaiting(): void;
}

export interface HitBatcherDeps {
  readonly producerId: string;
  readonly ring: HitRing;
  readonly tallies: RedirectTallies;
  readonly ruleTallies: RuleTallies;
  readonly encode: HitEncoder;
  readonly backlog: HitBacklog;
  readonly limits: HitLimits;
  readonly now: () => number;
}

/** Work of one turn of the event loop; visitors are served in between. */
const SLICE_MS = 0.5;
/** Hits of one such turn: 0.1 to 0.4 ms, without looking at the clock. */
const SLICE_HITS = 128;

type BatchCounters = Pick<HitBatch, 'counters' | 'ruleCounters'>;

const NO_BLOCK = new Uint8Array();
const NO_COUNTERS: BatchCounters = { counters: [], ruleCounters: [] };

export function createHitBatcher(deps: HitBatcherDeps): HitBatcher {
  const { producerId, ring, tallies, ruleTallies, encode: encoder, backlog, limits, now } = deps;
  let sequence = 0;
  let firstOrdinal = 1;
  let isFlushing = false;

  /** Adds the hit that has waited longest to the block; false where the block takes no more, or none waits. */
  const addOldest = (maxRows: number): boolean => {
    if (encoder.rows >= maxRows || encoder.textBytes >= limits.batchBytes) return false;
    const slot = ring.oldest();
    if (slot === undefined || !encoder.takes(slot)) return false;
    encoder.add(slot);
    ring.takeOver();
    return true;
  };

  /** Fills the block up to `available` hits, as long as it takes them. The ring goes on holding them. */
  const addHits = async (available: number): Promise<void> => {
    const maxRows = Math.min(available, limits.batchRows);
    let sliceEndsAtMs = performance.now() + SLICE_MS;
    while (addOldest(maxRows)) {
      if (performance.now() < sliceEndsAtMs) continue;
      await nextTurn();
      sliceEndsAtMs = performance.now() + SLICE_MS;
    }
  };

  const finishBlock = async (): Promise<Uint8Array> => {
    const steps = encoder.finish(firstOrdinal);
    let sliceEndsAtMs = performance.now() + SLICE_MS;
    for (;;) {
      const { done, value } = steps.next();
      if (done) return compressBlock(value);
      if (performance.now() < sliceEndsAtMs) continue;
      await nextTurn();
      sliceEndsAtMs = performance.now() + SLICE_MS;
    }
  };

  const closeBatch = async (counters: BatchCounters, hitCount: number) => {
    const block = hitCount === 0 ? NO_BLOCK : await finishBlock();
    sequence += 1;
    const encoded = encodeHitBatch({
      producerId,
      sequence,
      firstOrdinal,
      hitCount,
      createdAtMs: now(),
      ...counters,
      block,
    });
    firstOrdinal += hitCount;
    await backlog.append({ sequence, hitCount, encoded });
    ring.release(hitCount);
  };

  const flush = async (signal: AbortSignal): Promise<void> => {
    // Taken in one turn, so that the counters stand for exactly the hits up to here. They go with the last of
    // these hits: a store never sees counters that run ahead of what it has been given.
    const counters = tallies.takeChanged();
    const ruleCounters = ruleTallies.takeChanged();
    let remaining = ring.size;
    while (remaining > 0 || counters.length > 0 || ruleCounters.length > 0) {
      if (!(await backlog.untilRoom(signal))) return;
      await addHits(remaining);
      const hitCount = encoder.rows;
      remaining -= hitCount;
      const isLastOfHits = remaining === 0;
      await closeBatch(
        isLastOfHits ? spliceCounters(counters, ruleCounters, limits.batchCounters) : NO_COUNTERS,
        hitCount,
      );
    }
  };

  return {
    async flush(signal) {
      isFlushing = true;
      try {
        await flush(signal);
      } finally {
        isFlushing = false;
      }
    },
    encodeWaiting() {
      // A flush takes exactly the hits that its counters stand for.
      if (isFlushing) return;
      for (let left = SLICE_HITS; left > 0 && addOldest(limits.batchRows); left -= 1);
    },
  };
}

/** Takes the first counters away, at most `limit` of both kinds together. */
function spliceCounters(
  counters: RedirectCounters[],
  ruleCounters: RuleCounters[],
  limit: number,
): BatchCounters {
  const first = counters.splice(0, limit);
  return { counters: first, ruleCounters: ruleCounters.splice(0, limit - first.length) };
}
