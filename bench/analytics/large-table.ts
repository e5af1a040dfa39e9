import type { AnalyticsStore } from '../../controlplane/clickhouse/analytics-store.js';
import { openAnalyticsStore } from '../../controlplane/clickhouse/client.js';
import { addGeneratedHits } from './generated-hits.js';

export interface LargeTable {
  readonly redirectId: string;
  readonly hitsOfRedirect: number;
  /** All of them: the others are of `otherRedirects`. */
  readonly hits: number;
  readonly otherRedirects: number;
  readonly days: number;
}

/** People come ten times on average. */
const HITS_PER_VISITOR = 10;

/** Fills the embedded store of a product that is not running, merged as it would be after some time. */
export async function fillLargeTable(dataDir: string, table: LargeTable): Promise<void> {
  const { redirectId, hitsOfRedirect, hits, otherRedirects, days } = table;
  const store = await openAnalyticsStore({ dataDir });
  const generate = (count: number, of: { redirectId: string; redirects?: number }) =>
    addGeneratedHits(store, { ...of, count, visitors: Math.ceil(count / HITS_PER_VISITOR), days });
  try {
    // A merge on the way would give some parts roll-ups, and those are not merged with parts that have none.
    await store.command('SYSTEM STOP MERGES hits');
    await generate(hits - hitsOfRedirect, { redirectId: 'other', redirects: otherRedirects });
    await generate(hitsOfRedirect, { redirectId });
    await addDelivery(store, redirectId, hitsOfRedirect);
    await store.command('SYSTEM START MERGES hits');
    await mergeAll(store);
  } finally {
    await store.close();
  }
}

/** The engine waits two minutes for merges that it has begun by itself, and then gives up without a word. */
async function mergeAll(store: AnalyticsStore): Promise<void> {
  for (;;) {
    const partitions = await store.query<{ id: string }>(
      `SELECT partition_id AS id FROM system.parts WHERE table = 'hits' AND active
       GROUP BY id HAVING count() > 1 OR min(length(projections)) = 0`,
    );
    if (partitions.length === 0) return;
    for (const { id } of partitions) {
      await store.command(`OPTIMIZE TABLE hits PARTITION ID '${id}' FINAL`);
    }
  }
}

/** What ingest would have written of the generated hits, block by block of their ordinals. */
function addDelivery(store: AnalyticsStore, redirect: string, count: number): Promise<void> {
  return store.command(
    `INSERT INTO redirect_counters (redirect_id, producer_id, requests, recorded, dropped, ordinals)
     SELECT {redirect:String}, concat('generated-', {redirect:String}), {count:UInt64}, {count:UInt64}, 0,
       groupArray(number + 1)
     FROM numbers({count:UInt64}) GROUP BY intDiv(number + 1, 1048576) SETTINGS max_block_size = 1048576`,
    { redirect, count },
  );
}
