import type { AnalyticsStore } from '../clickhouse/analytics-store.js';

/**
 * Has the hits of these redirects that are still there kept for as many days as a changed plan says, counted from
 * when each was recorded; 0 is for ever. Resolves when the store has noted it down; it gets it done by itself, one
 * column of the data rewritten, so this is for changes of plans and not for every minute.
 *
 * Hits that come later bring their days with them: the ruleset that a data plane runs has to say the same.
 *
 * @throws AnalyticsStoreError to be tried again, which is safe at any point
 */
export async function changeRetention(
  store: AnalyticsStore,
  redirectIds: readonly string[],
  retentionDays: number,
): Promise<void> {
  if (redirectIds.length === 0) return;
  await store.command(
    `ALTER TABLE hits UPDATE retention_days = {days:UInt16}
     WHERE redirect_id IN {redirects:Array(String)} AND retention_days != {days:UInt16}`,
    { days: retentionDays, redirects: redirectIds },
  );
}
