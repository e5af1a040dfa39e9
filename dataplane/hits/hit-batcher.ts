import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeHitBatchOfRecords } from '../../shared/hits/hit-batch-codec.js';
import { compressBlock } from '../../shared/hits/hit-block-compression.js';
import type { BatchCounters, ChangedCounters } from './batch-counters.js';
import type { HitBacklog } from './hit-backlog.js';
import type { HitEncoder } from './hit-encoder.js';
import type { HitLimits } from './hit-limits.js';
import type { HitRing } from './hit-ring.js';

/** Turns what has been recorded into batches. */
export interface HitBatcher {
  /**
   * Moves what is in the ring now, and the counters that changed, to the backlog. Waits while the backlog has no room,
   * which leaves the ring to fill up. Must not run twice at a time, nor while `closeFull` does.
   *
   * @param signal ends the waiting; what has no room then stays in the ring, and the counters go without it
   */
  flush(signal: AbortSignal): Promise<void>;
  /** Moves the hits of the block to the backlog if it takes no more. Otherwise as `flush`. */
  closeFull(signal: AbortSignal): Promise<void>;
  /**
   * Encodes hits that wait in the ring, as many as one turn may take; they are held by it until their block is closed.
   *
   * @returns whether the block takes no more
   */
  encodeWaiting(): boolean;
}

export interface HitBatcherDeps {
  readonly producerId: string;
  readonly ring: HitRing;
  readonly counters: BatchCounters;
  readonly encode: HitEncoder;
  readonly backlog: HitBacklog;
  readonly limits: HitLimits;
  readonly now: () => number;
  /** Told of hits that no batch will have, since their block could not be made. */
  onLost(hitCount: number, error: unknown): void;
}

/** Work of one turn of the event loop; visitors are served in between. */
const SLICE_MS = 0.5;
/** Hits of one such turn: 0.1 to 0.4 ms, without looking at the clock. */
const SLICE_HITS = 128;

const NO_BLOCK = new Uint8Array();
const NO_COUNTERS = new Uint8Array();

export function createHitBatcher(deps: HitBatcherDeps): HitBatcher {
  const { producerId, ring, counters, encode: encoder, backlog, limits, now } = deps;
  let sequence = 0;
  let firstOrdinal = 1;
  let isWriting = false;

  const isFull = (): boolean => {
    if (encoder.rows() >= limits.batchRows || encoder.textBytes() >= limits.batchBytes) return true;
    const slot = ring.oldest();
    return slot !== undefined && !encoder.takes(slot);
  };

  const lose = (hitCount: number, error: unknown): void => {
    ring.release(hitCount);
    deps.onLost(hitCount, error);
  };

  /** Adds the hit that has waited longest to the block; false where the block takes no more, or none waits. */
  const addOldest = (): boolean => {
    const slot = ring.oldest();
    if (slot === undefined || isFull()) return false;
    const rows = encoder.rows();
    try {
      encoder.add(slot);
    } catch (error) {
      // With half a row, the rest of the block would be wrong.
      encoder.discard();
      lose(rows + 1, error);
    } finally {
      ring.takeOver();
    }
    return true;
  };

  /** Fills the block up to so many hits, as long as it takes them. The ring goes on holding them. */
  const fillTo = async (rows: number): Promise<void> => {
    let sliceEndsAtMs = performance.now() + SLICE_MS;
    while (encoder.rows() < rows && addOldest()) {
      if (performance.now() < sliceEndsAtMs) continue;
      await nextTurn();
      sliceEndsAtMs = performance.now() + SLICE_MS;
    }
  };

  /** The block of so many hits, compressed. The next one takes hits as soon as this one is written. */
  const finishBlock = async (hitCount: number): Promise<Uint8Array | undefined> => {
    isWriting = true;
    try {
      const block = await inSlices(encoder.finish(firstOrdinal));
      isWriting = false;
      return await compressBlock(block);
    } catch (error) {
      if (isWriting) encoder.discard();
      isWriting = false;
      lose(hitCount, error);
      return undefined;
    }
  };

  /** Makes a batch of the block, which has so many hits, and of what has room of the counters. */
  const closeBatch = async (rows: number, changed?: ChangedCounters) => {
    const block = rows === 0 ? NO_BLOCK : ((await finishBlock(rows)) ?? NO_BLOCK);
    const hitCount = block === NO_BLOCK ? 0 : rows;
    const counterRecords = changed === undefined ? NO_COUNTERS : await inSlices(changed.writeNext());
    sequence += 1;
    const encoded = encodeHitBatchOfRecords({
      producerId,
      sequence,
      firstOrdinal,
      hitCount,
      createdAtMs: now(),
      counterRecords,
      block,
    });
    firstOrdinal += hitCount;
    await backlog.append({ sequence, hitCount, encoded });
    ring.release(hitCount);
  };

  const flush = async (signal: AbortSignal): Promise<void> => {
    // Taken in one turn, so that the counters stand for exactly the hits up to here. They go with the last of
    // these hits: a store never sees counters that run ahead of what it has been given.
    const changed = counters.takeChanged();
    let remaining = ring.size();
    while (remaining > 0 && (await backlog.untilRoom(signal))) {
      await fillTo(remaining);
      const hitCount = encoder.rows();
      // The block may have been given later ones, too.
      remaining = hitCount === 0 ? 0 : Math.max(0, remaining - hitCount);
      await closeBatch(hitCount, remaining === 0 ? changed : undefined);
    }
    while (!changed.isEmpty) {
      // Where the wait was ended there is no room for a batch of any size, but mostly for these few bytes.
      await backlog.untilRoom(signal);
      await closeBatch(0, changed);
    }
  };

  return {
    flush,
    async closeFull(signal) {
      if (isFull() && (await backlog.untilRoom(signal))) await closeBatch(encoder.rows());
    },
    encodeWaiting() {
      if (isWriting) return false;
      for (let left = SLICE_HITS; left > 0 && addOldest(); left -= 1);
      return isFull();
    },
  };
}

/** What the steps lead to; visitors are served whenever a slice has passed. */
async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  let sliceEndsAtMs = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < sliceEndsAtMs) continue;
    await nextTurn();
    sliceEndsAtMs = performance.now() + SLICE_MS;
  }
}
