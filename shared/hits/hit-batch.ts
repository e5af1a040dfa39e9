/** Totals of one redirect at one producer since that producer started; they only grow. */
export interface RedirectCounters {
  readonly redirectId: string;
  /** Number of answered requests, independent of the sampling rate. */
  readonly requests: number;
  /** Hits chosen by sampling, delivered or not. */
  readonly recorded: number;
  /** Hits given up because a buffer was full. */
  readonly dropped: number;
}

/** Number of a rule's decisions at one producer since its start, independent of the sampling rate. */
export interface RuleCounters {
  readonly redirectId: string;
  readonly ruleId: number;
  /** The variant of an A/B test; empty for other rules. */
  readonly variant: string;
  readonly hits: number;
  /** Matches of people. Undefined in batches of formats before 6, which did not tell people from bots. */
  readonly humanHits?: number;
}

/**
 * Many hits in one message. `(producerId, sequence)` names a batch for ever: it may be sent more than once and
 * is stored exactly once.
 */
export interface HitBatch {
  /** Random id of one run of one data-plane process. */
  readonly producerId: string;
  /** 1, 2, 3 … without gaps within a producer. */
  readonly sequence: number;
  /**
   * The ordinal of the first hit; the others follow without gaps. A batch without hits has the ordinal of the next one.
   */
  readonly firstOrdinal: number;
  /** All of one month (UTC), so that they come into one part of the store's table. */
  readonly hitCount: number;
  /** Unix time in milliseconds at which the batch was closed. */
  readonly createdAtMs: number;
  /** Cumulative counters of the redirects that changed since the last batch. */
  readonly counters: readonly RedirectCounters[];
  /** Cumulative counters of the rules whose matches changed since the last batch. */
  readonly ruleCounters: readonly RuleCounters[];
  /** The hits as one block of ClickHouse's Native format with `HIT_COLUMN_TYPES`, compressed; empty without hits. */
  readonly block: Uint8Array;
}

/** Takes over batches from a data plane. */
export interface HitSink {
  /**
   * Resolves once the batch is stored for certain, or is known to be stored already. Rejects when it could not
   * be; the caller keeps the batch and tries again. Batches of one producer are given in sequence.
   *
   * @param encoded the batch as `encodeHitBatch` made it
   */
  deliver(encoded: Uint8Array): Promise<void>;
}
