import type { AnalyticsStore, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { changeRows } from '../../storage/clickhouse/table-rows.js';

/** Tables with rows of redirects. */
const TABLES = ['hits', 'redirect_counters', 'rule_counters', 'conversions'];
/** Tables whose rows a plan keeps for some days. */
const TABLES_WITH_RETENTION = ['hits', 'conversions'];

/**
 * Selects rows with a shorter retention. Rows that are kept for ever (see the table's migration) are not among them.
 */
const KEPT_FOR_LESS = `redirect_id IN {redirects:Array(String)} AND retention_days BETWEEN 1 AND 9999
  AND ({days:UInt16} = 0 OR retention_days < {days:UInt16})`;

/**
 * Deletes all records of these redirects. Resolves when the store has accepted the deletion, which it carries out in
 * the background. It rewrites every part with such rows, so use this only for the deletion of accounts.
 *
 * @throws AnalyticsStoreError; safe to repeat
 */
export async function eraseHits(store: AnalyticsStore, redirectIds: readonly string[]): Promise<void> {
  const condition = 'redirect_id IN {redirects:Array(String)}';
  await changeWhere(store, TABLES, 'DELETE', condition, { redirects: redirectIds });
}

/**
 * Extends the retention of stored hits and conversions of these redirects to this many days from their recording; 0 is
 * for ever. Never shortens it. Resolves when the store has accepted the change, which it carries out in the background.
 * It rewrites one column of the data, so use this only for changes of plans, not every minute.
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
  const params = { days: retentionDays, redirects: redirectIds };
  const change = 'UPDATE retention_days = {days:UInt16}';
  await changeWhere(store, TABLES_WITH_RETENTION, change, KEPT_FOR_LESS, params);
}

async function changeWhere(
  store: AnalyticsStore,
  tables: readonly string[],
  change: string,
  condition: string,
  params: QueryParams,
): Promise<void> {
  for (const table of tables) {
    // A look-up is cheaper than a mutation, which reads every part of the table.
    const found = await store.query(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`, params, {
      isBackground: true,
    });
    if (found.length > 0) await changeRows(store, { table, change: `${change} WHERE ${condition}`, params });
  }
}
