import { setTimeout as delay } from 'node:timers/promises';
import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';

const LOOK_AGAIN_MS = 500;
/** Consecutive checks without a running merge. The engine chooses the next merge when one has ended. */
const QUIET_LOOKS = 4;

/** Resolves when the engine no longer merges. The next measurement then contains no merges. */
export async function untilMerged(store: AnalyticsStore): Promise<void> {
  for (let quietLooks = 0; quietLooks < QUIET_LOOKS; ) {
    await delay(LOOK_AGAIN_MS);
    const merges = await store.query('SELECT 1 FROM system.merges LIMIT 1');
    quietLooks = merges.length === 0 ? quietLooks + 1 : 0;
  }
}
