import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { changeRows } from '../../storage/clickhouse/table-rows.js';

const TABLES = ['hits', 'redirect_counters', 'rule_counters', 'conversions'];

/**
 * Deletes everything that was recorded of these redirects. Resolves when the store has noted it down; the store does it by
 * itself. Every part with such rows is rewritten, so this is for the deletion of accounts.
 *
 * @throws AnalyticsStoreError to be tried again, which is safe at any point
 */
export async function eraseHits(store: AnalyticsStore, redirectIds: readonly string[]): Promise<void> {
  const params = { redirects: redirectIds };
  for (const table of TABLES) {
    const condition = 'redirect_id IN {redirects:Array(String)}';
    // To look is cheaper than a mutation, which every part of the table goes through.
    const found = await store.query(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`, params, {
      isBackground: true,
    });
    if (found.length > 0) await changeRows(store, { table, change: `DELETE WHERE ${condition}`, params });
  }
}
