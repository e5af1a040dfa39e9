import type { Logger } from 'pino';
import { createSerialQueue } from '../../shared/async/serial-queue.js';
import type { HitBatch } from '../../shared/hits/hit-batch.js';
import { decodeHitBatch } from '../../shared/hits/hit-batch-codec.js';
import { decompressBlock } from '../../shared/hits/hit-block-compression.js';
import { NativeFormatError } from '../../shared/native/native-reader.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../storage/clickhouse/store-error.js';
import { createCounterInserts } from './counter-inserts.js';
import { type HitNames, ordinalsByRedirect, readHitNames } from './hit-names.js';
import type { RejectedBatches } from './rejected-batches.js';
import { areStored } from './stored-hits.js';

/** ClickHouse may quote the bytes that it cannot read. */
const MAX_REASON_LENGTH = 500;

const NO_ORDINALS: ReadonlyMap<string, Float64Array> = new Map();

/** `hits`: number of rows that this write added. */
export type WriteOutcome =
  | { readonly status: 'stored'; readonly hits: number }
  | { readonly status: 'duplicate' }
  | { readonly status: 'rejected'; readonly reason: string };

/** Totals since the writer was created, for metrics. */
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
  /** Called for each readable batch when it is finished, with any outcome. */
  readonly onSettled?: (
    batch: Pick<HitBatch, 'producerId' | 'sequence' | 'hitCount'>,
    outcome: WriteOutcome,
  ) => void;
  /** Called with the redirects whose hits were just stored. */
  readonly onStored?: ((redirectIds: readonly string[]) => void) | undefined;
}

/** Writes batches of hits into the store, each exactly once however often it is given. */
export interface HitWriter {
  /**
   * Resolves when the hits of the batch are stored, were stored before, or were refused for good and put aside. The
   * batch is finished after `settle`; until then its counters wait for those of other batches. Batches are written
   * one after another.
   *
   * @throws AnalyticsStoreError when the store failed, or the error of `rejected`. Safe to repeat at any point.
   */
  take(encoded: Uint8Array): Promise<WriteOutcome>;
  /**
   * Resolves when the counters of all batches so far are stored.
   *
   * @throws as `take`. Safe to repeat.
   */
  settle(): Promise<void>;
  /**
   * Takes a single batch, and settles.
   *
   * @throws as `take` and `settle`
   */
  write(encoded: Uint8Array): Promise<WriteOutcome>;
  stats(): HitWriterStats;
}

export function createHitWriter({ store, rejected, logger, onSettled, onStored }: HitWriterDeps): HitWriter {
  const writes = createSerialQueue();
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
    // Before the hits are stored, because a fault here refuses the batch.
    const ordinals = ordinalsByRedirect(names.redirects, batch.firstOrdinal);
    const added = await storeHits(batch, block, names);
    counters.add(batch, ordinals);
    return added;
  }

  async function storeHits(batch: HitBatch, block: Uint8Array, names: HitNames): Promise<number> {
    if (await areStored(store, batch, names)) return 0;
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
