import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { changeRows } from '../../storage/clickhouse/table-rows.js';

const TABLES = ['hits', 'redirect_counters', 'rule_counters', 'conversions'];

/**
 * Deletes all records of these redirects. Resolves when the store has accepted the deletion, which it carries out in
 * the background. It rewrites every part with such rows, so use this only for the deletion of accounts.
 *
 * @throws AnalyticsStoreError; safe to repeat
 */
export async function eraseHits(store: AnalyticsStore, redirectIds: readonly string[]): Promise<void> {
  const params = { redirects: redirectIds };
  for (const table of TABLES) {
    const condition = 'redirect_id IN {redirects:Array(String)}';
    // A look-up is cheaper than a mutation, which reads every part of the table.
    const found = await store.query(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`, params, {
      isBackground: true,
    });
    if (found.length > 0) await changeRows(store, { table, change: `DELETE WHERE ${condition}`, params });
  }
}
