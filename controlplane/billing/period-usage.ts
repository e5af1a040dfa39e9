import type { AnalyticsStore } from '../clickhouse/analytics-store.js';

/** Counts the events that were recorded for some redirects since a moment. */
export type CountEvents = (redirectIds: readonly string[], since: Date) => Promise<number>;

/** The analytics' own count: what is shown here is what the statistics show. */
export function createPeriodUsage(store: AnalyticsStore): CountEvents {
  return async (redirectIds, since) => {
    if (redirectIds.length === 0) return 0;
    const [row] = await store.query<{ hits: number }>(
      `SELECT count() AS hits FROM hits
       WHERE redirect_id IN {redirects:Array(String)} AND timestamp >= toDateTime64({since:String}, 3, 'UTC')`,
      { redirects: redirectIds, since: since.toISOString().replace('T', ' ').replace('Z', '') },
    );
    return row?.hits ?? 0;
  };
}
