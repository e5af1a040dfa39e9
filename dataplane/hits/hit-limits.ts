import { MAX_BATCH_COUNTERS } from '../../shared/hits/batch-bounds.js';

/**
 * Limits of a recorder. Memory stays below about `bufferedHits` slots (200 bytes each), twice `bufferedTextLength` (text
 * beyond Latin-1 takes two bytes a character) and twice `memoryBytes`.
 */
export interface HitLimits {
  /** Hits in memory that no batch holds yet; more are dropped. */
  readonly bufferedHits: number;
  /**
   * Maximum length of the visitors' texts in hits that wait for the encoder, in UTF-16 units. Longer queues drop
   * hits.
   */
  readonly bufferedTextLength: number;
  /** Rows of one batch. */
  readonly batchRows: number;
  /** Bytes of the texts that visitors choose, as they are stored, beyond which a batch gets no more hits. */
  readonly batchBytes: number;
  /** Counters that go with one batch, those of redirects and of rules together; up to `MAX_BATCH_COUNTERS`. */
  readonly batchCounters: number;
  /** Bytes of counters, as they are sent, beyond which a batch gets no more of them. */
  readonly batchCounterBytes: number;
  /** The whole spool, leftovers of earlier runs included. */
  readonly spoolBytes: number;
  /** One file of the spool. */
  readonly segmentBytes: number;
  /** Each of: copies in memory of what is on disk, and what the disk did not take. */
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

/** Room for what a batch may have beyond `batchBytes`, should nothing of it be compressible. */
const BATCH_MARGIN_BYTES = 2.5 * MIB;

/** No encoded batch is larger. */
export function maxBatchBytes({ batchBytes }: HitLimits): number {
  return batchBytes + BATCH_MARGIN_BYTES;
}
