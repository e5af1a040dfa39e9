import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../../shared/async/in-turns.js';
import { encodeHitBatchOfRecords } from '../../shared/hits/hit-batch-codec.js';
import { compressBlock, compressBlockNow } from '../../shared/hits/hit-block-compression.js';
import type { HitBacklog } from './hit-backlog.js';
import type { ChangedCounters, HitCounters } from './hit-counters.js';
import type { HitEncoder } from './hit-encoder.js';
import type { HitLimits } from './hit-limits.js';
import { type HitRing, SCARCE_FILL } from './hit-ring.js';

/** Makes batches of recorded hits. */
export interface HitBatcher {
  /**
   * Moves the hits of the ring and the changed counters to the backlog. Waits while the backlog has no room; the ring
   * fills up meanwhile. Must not run twice at a time, nor beside `closeFull`.
   *
   * @param signal ends the waiting; hits without room then stay in the ring, and the counters go without them
   */
  flush(signal: AbortSignal): Promise<void>;
  /** Moves the hits of the block to the backlog if the block is full. Otherwise like `flush`. */
  closeFull(signal: AbortSignal): Promise<void>;
  /**
   * Encodes waiting hits of the ring, as many as one turn allows. The ring holds them until their block is closed.
   *
   * @returns whether the block is full
   */
  encodeWaiting(): boolean;
  /** Number of hits in batches that are not in the backlog yet. The ring no longer holds them. */
  appendingHits(): number;
}

export interface HitBatcherDeps {
  readonly producerId: string;
  readonly ring: HitRing;
  readonly counters: Pick<HitCounters, 'takeChanged'>;
  readonly encode: HitEncoder;
  readonly backlog: HitBacklog;
  readonly limits: HitLimits;
  readonly now: () => number;
  /** Called with the number of hits whose block could not be made. They are lost. */
  onLost(hitCount: number, error: unknown): void;
}

/** Maximum work of one turn of the event loop. Visitors are served in between. */
const SLICE_MS = 0.5;
/** Minimum and maximum number of hits per turn: 0.1 to 0.4 ms, and up to 16 ms while many wait. */
const MIN_SLICE_HITS = 128;
const MAX_SLICE_HITS = 4_096;
/**
 * Part of the waiting hits that one turn encodes. It is a share of hits rather than a time: a process that is short of
 * processor time answers hundreds of visitors per turn, and a time slice would end after a few hits. With a constant
 * share, the ring stops filling at a fixed multiple of the hits per turn.
 */
const SLICE_PART = 1 / 8;
const SCARCE_SLICE_PART = 1 / 2;

/** Maximum encoding time in a full ring, as a multiple of the visitors' time. Blocks of long texts fill quickly. */
const MAX_VISITORS_SHARE = 2;
/**
 * Maximum number of hits in encoded blocks whose predecessors are not on disk yet. Applies while the ring is short of
 * room.
 */
const MAX_APPENDING_HITS = 16_384;
const MAX_APPENDING_BYTES = 4 * 1024 * 1024;

const NO_BLOCK = new Uint8Array();
const NO_COUNTERS = new Uint8Array();

export function createHitBatcher(deps: HitBatcherDeps): HitBatcher {
  const { producerId, ring, counters, encode: encoder, backlog, limits, now } = deps;
  let sequence = 0;
  let firstOrdinal = 1;
  let isWriting = false;
  let lastAppended: Promise<void> = Promise.resolve();
  /** Time of the last return to visitors. */
  let workedUntilMs = performance.now();
  let appendingHits = 0;
  let appendingBytes = 0;

  const isFull = (): boolean => {
    if (encoder.rows() >= limits.batchRows || encoder.textBytes() >= limits.batchBytes) return true;
    const slot = ring.oldest();
    return slot !== undefined && !encoder.takes(slot);
  };

  const isScarce = () => ring.fill() >= SCARCE_FILL;

  const sliceHits = (): number => {
    const part = isScarce() ? SCARCE_SLICE_PART : SLICE_PART;
    return Math.max(MIN_SLICE_HITS, Math.min(MAX_SLICE_HITS, part * ring.waiting()));
  };

  const lose = (hitCount: number, error: unknown): void => {
    ring.release(hitCount);
    deps.onLost(hitCount, error);
  };

  /** Adds the oldest waiting hit to the block. Returns false when the block is full or no hit waits. */
  const addOldest = (): boolean => {
    const slot = ring.oldest();
    if (slot === undefined || isFull()) return false;
    const rows = encoder.rows();
    try {
      encoder.add(slot);
    } catch (error) {
      // A partial row would corrupt the rest of the block.
      encoder.discard();
      lose(rows + 1, error);
    } finally {
      ring.takeOver();
    }
    return true;
  };

  const addSlice = (): void => {
    for (let left = sliceHits(); left > 0 && addOldest(); left -= 1);
  };

  /** Fills the block up to this many hits. The ring still holds them. */
  const fillTo = async (rows: number): Promise<void> => {
    for (let left = sliceHits(); encoder.rows() < rows && addOldest(); left -= 1) {
      if (left > 1) continue;
      await nextTurn();
      left = sliceHits() + 1;
    }
  };

  /** Returns the compressed block of this many hits. The next block takes hits as soon as this one is written. */
  const finishBlock = async (hitCount: number): Promise<Uint8Array | undefined> => {
    isWriting = true;
    try {
      const block = await inTurns(encoder.finish(firstOrdinal), SLICE_MS, isScarce);
      isWriting = false;
      return isScarce() ? compressBlockNow(block) : await compressBlock(block);
    } catch (error) {
      if (isWriting) encoder.discard();
      isWriting = false;
      lose(hitCount, error);
      return undefined;
    }
  };

  /** Appends a batch to the backlog, after earlier ones. */
  const append = (batch: Parameters<HitBacklog['append']>[0]): Promise<void> => {
    const { hitCount, encoded } = batch;
    ring.release(hitCount);
    appendingHits += hitCount;
    appendingBytes += encoded.length;
    const appended = lastAppended
      .then(() => backlog.append(batch))
      .finally(() => {
        appendingHits -= hitCount;
        appendingBytes -= encoded.length;
      });
    lastAppended = appended.catch(() => undefined);
    return appended;
  };

  /** Makes a batch of the block with this many hits, and as many counters as fit. */
  const closeBatch = async (rows: number, changed?: ChangedCounters) => {
    const block = rows === 0 ? NO_BLOCK : ((await finishBlock(rows)) ?? NO_BLOCK);
    const hitCount = block === NO_BLOCK ? 0 : rows;
    const counterRecords =
      changed === undefined ? NO_COUNTERS : await inTurns(changed.writeNext(), SLICE_MS, isScarce);
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
    const appended = append({ sequence, hitCount, encoded });
    const mayRunAhead = appendingHits <= MAX_APPENDING_HITS && appendingBytes <= MAX_APPENDING_BYTES;
    if (!isScarce() || !mayRunAhead) await appended;
    else appended.catch((error: unknown) => deps.onLost(hitCount, error));
  };

  const flush = async (signal: AbortSignal): Promise<void> => {
    // Read both in one turn, so the counters include exactly the hits so far. They go with the last of these hits: a
    // store never has counters ahead of its hits.
    const changed = counters.takeChanged();
    let remaining = ring.size();
    while (remaining > 0 && (await backlog.untilRoom(signal))) {
      await fillTo(remaining);
      const hitCount = encoder.rows();
      // The block may contain later hits as well.
      remaining = hitCount === 0 ? 0 : Math.max(0, remaining - hitCount);
      await closeBatch(hitCount, remaining === 0 ? changed : undefined);
    }
    while (!changed.isEmpty) {
      // After a cancelled wait there is no room for a batch of any size, but usually for these few bytes.
      await backlog.untilRoom(signal);
      await closeBatch(0, changed);
    }
    await lastAppended;
  };

  return {
    flush,
    async closeFull(signal) {
      const startMs = performance.now();
      const allowedMs = MAX_VISITORS_SHARE * ring.fill() * (startMs - workedUntilMs);
      while (isFull() && (await backlog.untilRoom(signal))) {
        await closeBatch(encoder.rows());
        workedUntilMs = performance.now();
        if (!isScarce() || workedUntilMs - startMs > allowedMs) return;
        addSlice();
      }
    },
    encodeWaiting() {
      if (isWriting) return false;
      addSlice();
      if (isFull()) return true;
      workedUntilMs = performance.now();
      return false;
    },
    appendingHits: () => appendingHits,
  };
}
