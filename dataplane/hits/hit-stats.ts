/** Numbers since this process started. `recorded = delivered + dropped + buffered + spooled` at any time. */
export interface HitStats {
  /** Hits chosen by sampling. */
  readonly recorded: number;
  /** Hits the sink has acknowledged. */
  readonly delivered: number;
  /** Hits given up, nearly always because the buffer was full. */
  readonly dropped: number;
  /** Given-up hits that were refused because their redirect held its fair share of the buffer. */
  readonly refusedByShare: number;
  /** User agents recorded without a device, since new ones had taken too much time. Once for each batch they are in. */
  readonly unparsedAgents: number;
  /** Hits in memory that no batch holds yet. */
  readonly buffered: number;
  /** Hits in batches that wait for the sink's acknowledgement. */
  readonly spooled: number;
  /** Bytes on disk, leftovers of earlier runs included; undefined until those have been looked for. */
  readonly spoolBytes: number | undefined;
  /** Batches of earlier runs that the sink has acknowledged. */
  readonly recoveredBatches: number;
  /** Hits that earlier runs had recorded when they were killed, and no batch holds. Not among those above. */
  readonly lost: number;
  /** Bytes of the spool that could not be read back: a torn last record after a crash, or damage. */
  readonly damagedBytes: number;
  /** Attempts of delivery that failed; each was or will be repeated. */
  readonly deliveryErrors: number;
  /** Batches that could not be written to disk and were held in memory only. */
  readonly spoolErrors: number;
}
