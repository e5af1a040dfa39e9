import { MAX_BATCH_COUNTERS } from '../../shared/hits/batch-bounds.js';

/**
 * Limits of a recorder. Memory stays below about `bufferedHits` slots (200 bytes each, and up to 256 of the answer's start),
 * twice `bufferedTextLength` (text beyond Latin-1 takes two bytes a character) and twice `memoryBytes`.
 */
export interface HitLimits {
  /** Maximum number of hits in memory without a batch; more are dropped. */
  readonly bufferedHits: number;
  /**
   * Maximum length of the visitors' texts in hits that wait for the encoder, in UTF-16 units. Longer queues drop
   * hits.
   */
  readonly bufferedTextLength: number;
  /** Maximum rows per batch. */
  readonly batchRows: number;
  /** Size of visitors' texts, as stored, at which a batch is full. */
  readonly batchBytes: number;
  /** Maximum number of counters per batch, of redirects and rules together; up to `MAX_BATCH_COUNTERS`. */
  readonly batchCounters: number;
  /** Size of counters, as sent, at which a batch takes no more of them. */
  readonly batchCounterBytes: number;
  /** Maximum size of the spool, including batches of earlier runs. */
  readonly spoolBytes: number;
  /** Maximum size of one file of the spool. */
  readonly segmentBytes: number;
  /** Limit for each of: copies in memory of batches on disk, and batches that the disk refused. */
  readonly memoryBytes: number;
  /** Maximum wait of `stop` for the sink. */
  readonly stopTimeoutMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_HIT_LIMITS: HitLimits = {
  bufferedHits: 65_536,
  bufferedTextLength: 24 * MIB,
  batchRows: 16_384,
  batchBytes: MIB,
  batchCounters: MAX_BATCH_COUNTERS,
  batchCounterBytes: MIB / 2,
  spoolBytes: 256 * MIB,
  segmentBytes: 4 * MIB,
  memoryBytes: 16 * MIB,
  stopTimeoutMs: 5_000,
};

/** Room beyond `batchBytes`, if nothing of a batch can be compressed. */
const BATCH_MARGIN_BYTES = 2.5 * MIB;

/** Maximum size of an encoded batch. */
export function maxBatchBytes({ batchBytes }: HitLimits): number {
  return batchBytes + BATCH_MARGIN_BYTES;
}
