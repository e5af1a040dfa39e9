/** Totals of one redirect at one producer since that producer started. They never decrease. */
export interface RedirectCounters {
  readonly redirectId: string;
  /** Number of answered requests, independent of the sampling rate. */
  readonly requests: number;
  /** Hits chosen by sampling, delivered or not. */
  readonly recorded: number;
  /** Hits dropped because a buffer was full. */
  readonly dropped: number;
}

/** Number of a rule's decisions at one producer since the producer started, independent of the sampling rate. */
export interface RuleCounters {
  readonly redirectId: string;
  readonly ruleId: number;
  /** The variant of an A/B test; empty for other rules. */
  readonly variant: string;
  readonly hits: number;
  /** Matches of people. Undefined in batches of formats before 6, which did not distinguish people from bots. */
  readonly humanHits?: number;
}

/**
 * Many hits in one message. `(producerId, sequence)` identifies a batch permanently. It may be sent more than once and
 * is stored exactly once.
 */
export interface HitBatch {
  /** Random id of one run of one data-plane process. */
  readonly producerId: string;
  /** 1, 2, 3 … without gaps within a producer. */
  readonly sequence: number;
  /**
   * The ordinal of the first hit. The others follow without gaps. A batch without hits has the ordinal of the next hit.
   */
  readonly firstOrdinal: number;
  /** Number of hits. All hits of a batch are of one month (UTC), so they are stored in one partition of the table. */
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

/** Receives batches from a data plane. */
export interface HitSink {
  /**
   * Resolves when the batch is durably stored, or is known to be stored already. Rejects if it could not be stored; the
   * caller keeps the batch and tries again. Batches of one producer are delivered in sequence.
   *
   * @param encoded the result of `encodeHitBatch`
   */
  deliver(encoded: Uint8Array): Promise<void>;
}
