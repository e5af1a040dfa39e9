import type { Logger } from 'pino';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { HIT_COLUMNS } from '../../shared/hits/hit-row.js';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../clickhouse/store-error.js';
import { createTurnQueue } from '../clickhouse/turn-queue.js';
import { counterInserts } from './counter-inserts.js';
import { HitLinesError } from './hit-lines.js';
import type { RejectedBatches } from './rejected-batches.js';
import { createStoredHits } from './stored-hits.js';

/** ClickHouse quotes the whole row that it cannot read. */
const MAX_REASON_LENGTH = 500;

/** `hits` says how many rows this write added. Nothing more is to be done for a batch with any of these. */
export type WriteOutcome =
  | { readonly status: 'stored'; readonly hits: number }
  | { readonly status: 'duplicate' }
  | { readonly status: 'rejected'; readonly reason: string };

/** Totals since the writer was made, for metrics. */
export interface HitWriterStats {
  readonly batchesStored: number;
  readonly hitsStored: number;
  readonly batchesDuplicate: number;
  readonly batchesRejected: number;
  readonly failures: number;
}

export interface HitWriterDeps {
  readonly store: AnalyticsStore;
  readonly rejected: RejectedBatches;
  readonly logger: Logger;
  /** Told of each batch that is done with and could be read, in whatever way it ended. */
  readonly onSettled?: (
    batch: Pick<HitBatch, 'producerId' | 'sequence' | 'hitCount'>,
    outcome: WriteOutcome,
  ) => void;
}

/** Writes batches of hits into the store, each exactly once however often it is given. */
export interface HitWriter {
  /**
   * Resolves once the batch is stored, is known to be stored, or is refused for good and put aside. Batches are
   * written one after another.
   *
   * @throws AnalyticsStoreError when the store could not take it, or what `rejected` throws: to be tried again, which
   *   is safe at any point
   */
  write(encoded: Uint8Array): Promise<WriteOutcome>;
  stats(): HitWriterStats;
}

export function createHitWriter({ store, rejected, logger, onSettled }: HitWriterDeps): HitWriter {
  const turns = createTurnQueue();
  const storedHits = createStoredHits(store);
  const stats = { batchesStored: 0, hitsStored: 0, batchesDuplicate: 0, batchesRejected: 0, failures: 0 };

  async function storeBatch(batch: HitBatch): Promise<number> {
    const rows = batch.hitCount === 0 ? '' : textOf(batch.rows);
    // Before anything is stored, since this refuses rows that are not of the batch's producer.
    const inserts = counterInserts(batch, rows);
    const added = batch.hitCount === 0 ? 0 : await storeHits(batch, rows);
    for (const insert of inserts) await store.insertRows(insert);
    return added;
  }

  async function storeHits({ producerId, sequence, hitCount }: HitBatch, all: string): Promise<number> {
    const missing = await storedHits.withoutStored(all, producerId);
    if (missing === '') return 0;
    // A remainder is another set of rows than the batch, so it must not pass for a repetition of it.
    const part = missing === all ? '' : ':rest';
    await store.insertRows({
      table: 'hits',
      columns: HIT_COLUMNS,
      rows: missing,
      deduplicationToken: `${producerId}:${sequence}${part}`,
    });
    return missing === all ? hitCount : missing.split('\n').length;
  }

  async function reject(encoded: Uint8Array, reason: string): Promise<WriteOutcome> {
    const aside = await rejected.put(encoded, reason);
    stats.batchesRejected += 1;
    if (aside.isKept) {
      logger.error({ reason, place: aside.place }, 'a batch of hits cannot be stored and was put aside');
    } else {
      logger.error({ reason, err: aside.error }, 'a batch of hits cannot be stored, nor put aside');
    }
    return { status: 'rejected', reason };
  }

  async function writeBatch(batch: HitBatch, encoded: Uint8Array): Promise<WriteOutcome> {
    try {
      const hits = await turns.run(() => storeBatch(batch));
      if (hits === 0 && batch.hitCount > 0) {
        stats.batchesDuplicate += 1;
        return { status: 'duplicate' };
      }
      stats.batchesStored += 1;
      stats.hitsStored += hits;
      return { status: 'stored', hits };
    } catch (error) {
      if (isBadData(error)) return reject(encoded, error.message.slice(0, MAX_REASON_LENGTH));
      throw error;
    }
  }

  return {
    async write(encoded) {
      try {
        const decoded = decodeHitBatch(encoded);
        if (!decoded.ok) return await reject(encoded, decoded.reason);
        const outcome = await writeBatch(decoded.batch, encoded);
        onSettled?.(decoded.batch, outcome);
        return outcome;
      } catch (error) {
        stats.failures += 1;
        throw error;
      }
    },
    stats: () => ({ ...stats }),
  };
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

function isBadData(error: unknown): error is Error {
  if (error instanceof HitLinesError) return true;
  return error instanceof AnalyticsStoreError && error.failure === 'bad-data';
}
