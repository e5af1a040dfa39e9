import type { AnalyticsStore, QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { changeRows } from '../../storage/clickhouse/table-rows.js';

/** Tables whose rows a plan keeps for some days. */
const TABLES = ['hits', 'conversions'];

/** Rows that are kept for a shorter time; what is kept for ever (see the table's migration) is not among them. */
const KEPT_FOR_LESS = `redirect_id IN {redirects:Array(String)} AND retention_days BETWEEN 1 AND 9999
  AND ({days:UInt16} = 0 OR retention_days < {days:UInt16})`;

/**
 * Has the hits and conversions of these redirects that are still there kept for as many days as a longer plan says, counted
 * from when each was recorded; 0 is for ever. None is kept for a shorter time than it was. Resolves when the store has noted
 * it down; it gets it done by itself, one column of the data rewritten, so this is for changes of plans and not for every
 * minute.
 *
 * Hits that come later bring their days with them: the ruleset that a data plane runs has to say the same.
 *
 * @throws AnalyticsStoreError to be tried again, which is safe at any point
 */
export async function extendRetention(
  store: AnalyticsStore,
  redirectIds: readonly string[],
  retentionDays: number,
): Promise<void> {
  if (redirectIds.length === 0) return;
  const params: QueryParams = { days: retentionDays, redirects: redirectIds };
  for (const table of TABLES) {
    // To look is cheaper than a mutation, which every part of the table goes through.
    const found = await store.query(`SELECT 1 FROM ${table} WHERE ${KEPT_FOR_LESS} LIMIT 1`, params, {
      isBackground: true,
    });
    if (found.length === 0) continue;
    const change = `UPDATE retention_days = {days:UInt16} WHERE ${KEPT_FOR_LESS}`;
    await changeRows(store, { table, change, params });
  }
}
