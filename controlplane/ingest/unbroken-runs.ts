import { LRUCache } from 'lru-cache';
import type { HitBatch } from '../../shared/hits/hit-batch.js';

/** Producers whose run is remembered; about the others the store is asked. */
const MAX_PRODUCERS = 10_000;
/** Within it nobody inserts as often as it takes for the table to forget a deduplication token (10,000 times). */
const LONGEST_PAUSE_MS = 5_000;

type BatchOrdinals = Pick<HitBatch, 'producerId' | 'firstOrdinal' | 'hitCount'>;

/**
 * Runs of batches of one producer, each of which was inserted here right after the one before it. The next of a run is
 * new to the store: batches come in the order of their producer, so that whoever had it before has first seen to the one
 * that was still missing. Who has it at the same time is told from us by its deduplication token.
 */
export interface UnbrokenRuns {
  /**
   * Whether this batch is the next of a run. It ends the run, too, which goes on with `noteInserted`: until then it is not
   * known what becomes of the batch.
   */
  takeNext(batch: BatchOrdinals): boolean;
  /** The hits of this batch were not in the store, and are now. */
  noteInserted(batch: BatchOrdinals): void;
  /** Ends all runs: from now on, others may have inserted what comes next. */
  endAll(): void;
}

/** @param now Unix time in milliseconds */
export function createUnbrokenRuns(now: () => number): UnbrokenRuns {
  const runs = new LRUCache<string, { readonly nextOrdinal: number; readonly insertedAtMs: number }>({
    max: MAX_PRODUCERS,
  });

  return {
    takeNext({ producerId, firstOrdinal }) {
      const run = runs.get(producerId);
      runs.delete(producerId);
      if (run === undefined || run.nextOrdinal !== firstOrdinal) return false;
      const pauseMs = now() - run.insertedAtMs;
      return pauseMs >= 0 && pauseMs <= LONGEST_PAUSE_MS;
    },
    noteInserted({ producerId, firstOrdinal, hitCount }) {
      runs.set(producerId, { nextOrdinal: firstOrdinal + hitCount, insertedAtMs: now() });
    },
    endAll: () => runs.clear(),
  };
}
