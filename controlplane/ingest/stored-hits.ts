import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { type HitKey, keyedLines, outerKeys } from './hit-lines.js';

/**
 * Finds out which hits of a batch are in the store already. The deduplication window of the table covers what
 * is sent again at once; this covers what comes again much later, as from the spool of a machine that was down.
 */
export interface StoredHits {
  /**
   * Resolves to the rows that are still to be stored: all of them, some, or none (an empty text).
   *
   * @throws HitLinesError when the rows cannot be of this producer
   */
  withoutStored(rows: string, producerId: string): Promise<string>;
}

export function createStoredHits(store: AnalyticsStore): StoredHits {
  /** Looks for two hits by primary key: next to nothing, so that every batch can be asked for. */
  async function hasAnyOf(producerId: string, [first, last]: readonly [HitKey, HitKey]): Promise<boolean> {
    const [row] = await store.query<{ found: number }>(
      `SELECT count() AS found FROM hits
       WHERE producer_id = {producer:String} AND (
         (redirect_id = {redirect1:String} AND timestamp = toDateTime64({timestamp1:String}, 3, 'UTC') AND ordinal = {ordinal1:UInt64})
         OR (redirect_id = {redirect2:String} AND timestamp = toDateTime64({timestamp2:String}, 3, 'UTC') AND ordinal = {ordinal2:UInt64}))`,
      {
        producer: producerId,
        redirect1: first.redirectId,
        timestamp1: first.timestamp,
        ordinal1: first.ordinal,
        redirect2: last.redirectId,
        timestamp2: last.timestamp,
        ordinal2: last.ordinal,
      },
    );
    return row !== undefined && row.found > 0;
  }

  /** The ordinals of this producer that are stored, among the hits from the first of `keys` to the last in time. */
  async function storedOrdinals(producerId: string, keys: readonly HitKey[]): Promise<Set<number>> {
    const timestamps = keys.map((key) => key.timestamp).sort();
    const ordinals = keys.map((key) => key.ordinal);
    const rows = await store.query<{ ordinal: number }>(
      `SELECT DISTINCT ordinal FROM hits
       WHERE producer_id = {producer:String}
         AND timestamp BETWEEN toDateTime64({from:String}, 3, 'UTC') AND toDateTime64({to:String}, 3, 'UTC')
         AND ordinal BETWEEN {lowest:UInt64} AND {highest:UInt64}`,
      {
        producer: producerId,
        from: timestamps[0] ?? '',
        to: timestamps.at(-1) ?? '',
        lowest: ordinals.reduce((a, b) => Math.min(a, b)),
        highest: ordinals.reduce((a, b) => Math.max(a, b)),
      },
    );
    return new Set(rows.map((row) => row.ordinal));
  }

  return {
    async withoutStored(rows, producerId) {
      // A block of rows becomes visible at once within one partition, and a batch spans two at most (the turn of
      // a month): what its first and its last row say holds for all that are in their partitions.
      if (!(await hasAnyOf(producerId, outerKeys(rows, producerId)))) return rows;
      const lines = keyedLines(rows, producerId);
      const stored = await storedOrdinals(
        producerId,
        lines.map(({ key }) => key),
      );
      return lines
        .filter(({ key }) => !stored.has(key.ordinal))
        .map(({ line }) => line)
        .join('\n');
    },
  };
}
