import type { Logger } from 'pino';
import { createSerialQueue } from '../../shared/async/serial-queue.js';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { decompressBlock } from '../../shared/hits/hit-block-compression.js';
import { NativeFormatError } from '../../shared/native/native-reader.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../storage/clickhouse/store-error.js';
import { createCounterInserts } from './counter-inserts.js';
import { type HitNames, readHitNames } from './hit-names.js';
import { ordinalsByRedirect } from './ordinals-by-redirect.js';
import type { RejectedBatches } from './rejected-batches.js';
import { createStoredHits } from './stored-hits.js';

/** ClickHouse may quote what it cannot read. */
const MAX_REASON_LENGTH = 500;

const NO_ORDINALS: ReadonlyMap<string, Float64Array> = new Map();

/** `hits` says how many rows this write added. */
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
  /** Called with the redirects whose hits were stored just now. */
  readonly onStored?: ((redirectIds: readonly string[]) => void) | undefined;
}

/** Writes batches of hits into the store, each exactly once however often it is given. */
export interface HitWriter {
  /**
   * Resolves once the hits of the batch are stored, are known to be stored, or are refused for good and put aside. It is
   * done with after `settle`; until then its counters wait for those of other batches. Batches are written one after
   * another.
   *
   * @throws AnalyticsStoreError when the store could not take it, or what `rejected` throws: to be tried again, which
   *   is safe at any point
   */
  take(encoded: Uint8Array): Promise<WriteOutcome>;
  /** Resolves once the counters of all batches taken so far are stored. @throws what `take` throws; to be tried again */
  settle(): Promise<void>;
  /** Takes a batch that comes alone, and settles. @throws what `take` and `settle` throw */
  write(encoded: Uint8Array): Promise<WriteOutcome>;
  stats(): HitWriterStats;
}

export function createHitWriter({ store, rejected, logger, onSettled, onStored }: HitWriterDeps): HitWriter {
  const writes = createSerialQueue();
  const storedHits = createStoredHits(store);
  const counters = createCounterInserts();
  const stats = { batchesStored: 0, hitsStored: 0, batchesDuplicate: 0, batchesRejected: 0, failures: 0 };

  /** Returns the number of rows added. */
  async function storeBatch(batch: HitBatch): Promise<number> {
    if (batch.hitCount === 0) {
      counters.add(batch, NO_ORDINALS);
      return 0;
    }
    const block = await decompressed(batch.block);
    const names = readHitNames(block, batch);
    // Before the hits are stored, for it may be what a batch is refused for.
    const ordinals = ordinalsByRedirect(names.redirects, batch.firstOrdinal);
    const added = await storeHits(batch, block, names);
    counters.add(batch, ordinals);
    return added;
  }

  async function storeHits(batch: HitBatch, block: Uint8Array, names: HitNames): Promise<number> {
    if (await storedHits.has(batch, names)) return 0;
    await store.insertRows({
      table: 'hits',
      columns: names.columns,
      rows: { block, compressed: batch.block },
      deduplicationToken: `${batch.producerId}:${batch.sequence}`,
    });
    onStored?.(names.redirects.texts);
    return batch.hitCount;
  }

  async function storeCounters(): Promise<void> {
    for (const insert of counters.inserts()) await store.insertRows(insert);
    counters.clear();
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

  async function takeBatch(batch: HitBatch, encoded: Uint8Array): Promise<WriteOutcome> {
    try {
      const hits = await writes.run(() => storeBatch(batch));
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

  async function countFailures<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      stats.failures += 1;
      throw error;
    }
  }

  const take = (encoded: Uint8Array) =>
    countFailures(async () => {
      const decoded = decodeHitBatch(encoded);
      if (!decoded.ok) return reject(encoded, decoded.reason);
      const outcome = await takeBatch(decoded.batch, encoded);
      onSettled?.(decoded.batch, outcome);
      return outcome;
    });
  const settle = () => countFailures(() => writes.run(storeCounters));

  return {
    take,
    settle,
    async write(encoded) {
      const outcome = await take(encoded);
      await settle();
      return outcome;
    },
    stats: () => ({ ...stats }),
  };
}

async function decompressed(compressed: Uint8Array): Promise<Uint8Array> {
  try {
    return await decompressBlock(compressed);
  } catch (error) {
    throw new NativeFormatError('the block cannot be decompressed, or is larger than any may be', {
      cause: error,
    });
  }
}

function isBadData(error: unknown): error is Error {
  if (error instanceof NativeFormatError) return true;
  return error instanceof AnalyticsStoreError && error.failure === 'bad-data';
}
