/** Counts since this process started. `recorded = delivered + dropped + buffered + spooled` at any time. */
export interface HitStats {
  /** Hits chosen by sampling. */
  readonly recorded: number;
  /** Hits that the sink acknowledged. */
  readonly delivered: number;
  /** Lost hits, nearly always because the buffer was full. */
  readonly dropped: number;
  /** Dropped hits that were refused because their redirect had its fair share of the buffer. */
  readonly refusedByShare: number;
  /**
   * User agents that were recorded without a device, because new ones took too much time. Each counts once per batch.
   */
  readonly unparsedAgents: number;
  /** Hits in memory without a batch. */
  readonly buffered: number;
  /** Hits in batches that wait for the sink's acknowledgement. */
  readonly spooled: number;
  /** Bytes on disk, including batches of earlier runs; undefined until those were searched. */
  readonly spoolBytes: number | undefined;
  /** Batches of earlier runs that the sink acknowledged. */
  readonly recoveredBatches: number;
  /** Hits that earlier runs recorded before they were killed, without a batch. Not included above. */
  readonly lost: number;
  /** Bytes of the spool that could not be read back: a torn last record after a crash, or damage. */
  readonly damagedBytes: number;
  /** Failed deliveries. Each is repeated. */
  readonly deliveryErrors: number;
  /** Batches that could not be written to disk and were only in memory. */
  readonly spoolErrors: number;
}
