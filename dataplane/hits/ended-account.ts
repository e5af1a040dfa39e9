import { ALL_REDIRECTS } from '../../shared/hits/all-redirects.js';
import { decodeHitBatch, encodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { type HitTotals, readHitTotals, rewriteHitTotals } from './hit-totals-file.js';

/** Reports an ended producer's totals to the store when the store has not received all of its hits. */
export interface ClosingBatch {
  /** Recorded hits that were neither counted as dropped nor put into a batch. */
  readonly lostHits: number;
  readonly encoded: Uint8Array;
}

/** Totals of a producer that has ended. */
export interface EndedAccount {
  /**
   * Adds a batch that was found in the spool. It may have been written just before the end. Call this before the
   * spool deletes the batch: the process that takes over may be killed too.
   */
  find(encoded: Uint8Array): Promise<void>;
  /**
   * Returns undefined when batches hold everything that was recorded. Call it after `find` was called for every batch.
   */
  closingBatch(nowMs: number): ClosingBatch | undefined;
}

/** Takes over the account of a producer that has ended. Undefined without a complete one. Rejects on disk errors. */
export async function takeOverAccount(
  producerId: string,
  filePath: string,
): Promise<EndedAccount | undefined> {
  const left = await readHitTotals(filePath);
  if (left === undefined) return undefined;
  let totals = left;

  return {
    async find(encoded) {
      const decoded = decodeHitBatch(encoded);
      if (!decoded.ok || decoded.batch.sequence <= totals.sequence) return;
      const { sequence, hitCount } = decoded.batch;
      totals = { ...totals, sequence, kept: totals.kept + hitCount };
      // Without this file, another process has closed the account and reports the loss.
      await rewriteHitTotals(filePath, totals);
    },
    closingBatch: (nowMs) => closingBatch(producerId, totals, nowMs),
  };
}

/** The store keeps the greatest totals, so late and repeated reports are harmless. */
function closingBatch(
  producerId: string,
  { recorded, dropped, kept, sequence }: HitTotals,
  nowMs: number,
): ClosingBatch | undefined {
  if (recorded <= kept) return undefined;
  const encoded = encodeHitBatch({
    producerId,
    sequence: sequence + 1,
    firstOrdinal: kept + 1,
    hitCount: 0,
    createdAtMs: nowMs,
    counters: [{ redirectId: ALL_REDIRECTS, requests: 0, recorded, dropped }],
    ruleCounters: [],
    block: new Uint8Array(),
  });
  return { lostHits: Math.max(0, recorded - dropped - kept), encoded };
}
