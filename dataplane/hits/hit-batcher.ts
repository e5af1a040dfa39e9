import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HitBatch, RedirectCounters, RuleCounters } from '../../shared/hits/hit-batch.js';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
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

/** Hits encoded in one turn of the event loop, about half a millisecond; visitors are served in between. */
const SLICE_HITS = 128;
/** These end a slice of unusually long hits, or of visitors never seen before, that would make a long turn. */
const SLICE_CHARACTERS = 256 * 1024;
const SLICE_MS = 0.5;

interface EncodedRows {
  readonly bytes: Uint8Array;
  readonly count: number;
}

type BatchCounters = Pick<HitBatch, 'counters' | 'ruleCounters'>;

const NO_ROWS: EncodedRows = { bytes: new Uint8Array(), count: 0 };
const NO_COUNTERS: BatchCounters = { counters: [], ruleCounters: [] };

export function createHitBatcher(deps: HitBatcherDeps): HitBatcher {
  const { producerId, ring, tallies, ruleTallies, encode, backlog, limits, now } = deps;
  let sequence = 0;
  let ordinal = 0;

  const encodeSlice = (from: number, to: number): EncodedRows => {
    const endsAtMs = performance.now() + SLICE_MS;
    let text = '';
    let at = from;
    do {
      ordinal += 1;
      text += encode(ring.at(at), ordinal);
      at += 1;
    } while (at < to && text.length < SLICE_CHARACTERS && performance.now() < endsAtMs);
    return { bytes: Buffer.from(text), count: at - from };
  };

  /** The rows of the oldest hits, at most `available`. They stay in the ring. */
  const encodeRows = async (available: number): Promise<EncodedRows> => {
    const limit = Math.min(available, limits.batchRows);
    const slices: Uint8Array[] = [];
    let count = 0;
    let bytes = 0;
    while (count < limit && bytes < limits.batchBytes) {
      const slice = encodeSlice(count, Math.min(count + SLICE_HITS, limit));
      slices.push(slice.bytes);
      count += slice.count;
      bytes += slice.bytes.length;
      await nextTurn();
    }
    return { bytes: Buffer.concat(slices, bytes), count };
  };

  const closeBatch = async (rows: EncodedRows, counters: BatchCounters) => {
    sequence += 1;
    const encoded = encodeHitBatch({
      producerId,
      sequence,
      hitCount: rows.count,
      createdAtMs: now(),
      ...counters,
      rows: rows.bytes,
    });
    await backlog.append({ sequence, hitCount: rows.count, encoded });
    ring.release(rows.count);
  };

  return {
    async flush(signal) {
      // Taken in one turn, so that the counters stand for exactly the hits up to here. They go with the last of
      // these hits: a store never sees counters that run ahead of what it has been given.
      const counters = tallies.takeChanged();
      const ruleCounters = ruleTallies.takeChanged();
      let remaining = ring.size;
      while (remaining > 0 || counters.length > 0 || ruleCounters.length > 0) {
        if (!(await backlog.untilRoom(signal))) return;
        const rows = remaining > 0 ? await encodeRows(remaining) : NO_ROWS;
        remaining -= rows.count;
        const isLastOfHits = remaining === 0;
        await closeBatch(
          rows,
          isLastOfHits ? spliceCounters(counters, ruleCounters, limits.batchCounters) : NO_COUNTERS,
        );
      }
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
