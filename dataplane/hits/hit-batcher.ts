import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RedirectCounters } from '../../shared/hits/hit-batch.js';
import { encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import type { HitBacklog } from './hit-backlog.js';
import type { HitEncoder } from './hit-encoder.js';
import type { HitLimits } from './hit-limits.js';
import type { HitRing } from './hit-ring.js';
import type { RedirectTallies } from './redirect-tallies.js';

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
  readonly encode: HitEncoder;
  readonly backlog: HitBacklog;
  readonly limits: HitLimits;
  readonly now: () => number;
}

/** Hits encoded in one turn of the event loop: half a millisecond; visitors are served in between. */
const SLICE_HITS = 128;
/** Ends a slice of unusually long hits before it makes a long turn. */
const SLICE_CHARACTERS = 256 * 1024;

const NO_ROWS: EncodedRows = { bytes: new Uint8Array(), count: 0 };

interface EncodedRows {
  readonly bytes: Uint8Array;
  readonly count: number;
}

export function createHitBatcher(deps: HitBatcherDeps): HitBatcher {
  const { producerId, ring, tallies, encode, backlog, limits, now } = deps;
  let sequence = 0;
  let ordinal = 0;

  const encodeSlice = (from: number, to: number): EncodedRows => {
    let text = '';
    let at = from;
    for (; at < to && text.length < SLICE_CHARACTERS; at += 1) {
      ordinal += 1;
      text += encode(ring.at(at), ordinal);
    }
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

  const closeBatch = async (rows: EncodedRows, counters: readonly RedirectCounters[]) => {
    sequence += 1;
    const encoded = encodeHitBatch({
      producerId,
      sequence,
      hitCount: rows.count,
      createdAtMs: now(),
      counters,
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
      let remaining = ring.size;
      while (remaining > 0 || counters.length > 0) {
        if (!(await backlog.untilRoom(signal))) return;
        const rows = remaining > 0 ? await encodeRows(remaining) : NO_ROWS;
        remaining -= rows.count;
        await closeBatch(rows, remaining > 0 ? [] : counters.splice(0, limits.batchCounters));
      }
    },
  };
}
