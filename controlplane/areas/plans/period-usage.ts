import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../../storage/clickhouse/store-error.js';

/** Maximum redirects per statement. ClickHouse limits the size of a parameter. */
const COUNTED_AT_ONCE = 5_000;

/**
 * Counts the recorded events of some redirects since a time. After `withinMs` it cancels the current statement and
 * starts no other.
 *
 * @throws AnalyticsStoreError when the store fails, or the time is over
 */
export type CountEvents = (redirectIds: readonly string[], since: Date, withinMs: number) => Promise<number>;

/** Creates the count that the statistics use too. */
export function createPeriodUsage(store: AnalyticsStore): CountEvents {
  async function count(redirects: readonly string[], since: string, withinMs: number): Promise<number> {
    const [row] = await store.query<{ hits: number }>(
      `SELECT count() AS hits FROM hits
       WHERE redirect_id IN {redirects:Array(String)} AND timestamp >= toDateTime64({since:String}, 3, 'UTC')`,
      { redirects, since },
      { withinMs },
    );
    return row?.hits ?? 0;
  }

  return async (redirectIds, since, withinMs) => {
    const endsAtMs = performance.now() + withinMs;
    let hits = 0;
    for (let first = 0; first < redirectIds.length; first += COUNTED_AT_ONCE) {
      const leftMs = Math.floor(endsAtMs - performance.now());
      if (leftMs < 1) {
        throw new AnalyticsStoreError('unavailable', new Error(`not counted within ${withinMs} ms`));
      }
      const redirects = redirectIds.slice(first, first + COUNTED_AT_ONCE);
      hits += await count(redirects, since.toISOString().replace('T', ' ').replace('Z', ''), leftMs);
    }
    return hits;
  };
}
