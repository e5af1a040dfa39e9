import type { AnalyticsStore, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { changeRows } from '../../storage/clickhouse/table-rows.js';

/** Tables whose rows a plan keeps for some days. */
const TABLES = ['hits', 'conversions'];

/**
 * Selects rows with a shorter retention. Rows that are kept for ever (see the table's migration) are not among them.
 */
const KEPT_FOR_LESS = `redirect_id IN {redirects:Array(String)} AND retention_days BETWEEN 1 AND 9999
  AND ({days:UInt16} = 0 OR retention_days < {days:UInt16})`;

/**
 * Prolongs the retention of stored hits and conversions of these redirects to this many days from their recording; 0
 * is for ever. Never shortens it. Resolves when the store has accepted the change, which it carries out in the
 * background. It rewrites one column of the data, so use this for changes of plans and not every minute.
 *
 * Later hits carry their own retention, so the ruleset of the data planes must have the same.
 *
 * @throws AnalyticsStoreError; safe to repeat
 */
export async function extendRetention(
  store: AnalyticsStore,
  redirectIds: readonly string[],
  retentionDays: number,
): Promise<void> {
  if (redirectIds.length === 0) return;
  const params: QueryParams = { days: retentionDays, redirects: redirectIds };
  for (const table of TABLES) {
    // A look-up is cheaper than a mutation, which reads every part of the table.
    const found = await store.query(`SELECT 1 FROM ${table} WHERE ${KEPT_FOR_LESS} LIMIT 1`, params, {
      isBackground: true,
    });
    if (found.length === 0) continue;
    const change = `UPDATE retention_days = {days:UInt16} WHERE ${KEPT_FOR_LESS}`;
    await changeRows(store, { table, change, params });
  }
}
