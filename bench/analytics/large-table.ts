import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { openAnalyticsStore } from '../../controlplane/storage/clickhouse/client.js';
import { addGeneratedHits } from './generated-hits.js';

export interface LargeTable {
  readonly redirectId: string;
  readonly hitsOfRedirect: number;
  /** Total number of hits, including those of `otherRedirects`. */
  readonly hits: number;
  readonly otherRedirects: number;
  readonly days: number;
  /** Shows a line of progress. */
  say(line: string): void;
}

/** Average number of hits per visitor. */
const HITS_PER_VISITOR = 10;

/** Fills the embedded store of a product that is not running, merged as it would be after some time. */
export async function fillLargeTable(dataDir: string, table: LargeTable): Promise<void> {
  const { redirectId, hitsOfRedirect, hits, otherRedirects, days, say } = table;
  const store = await openAnalyticsStore({ dataDir });
  const generate = (count: number, of: { redirectId: string; redirects?: number }) =>
    addGeneratedHits(store, { ...of, count, visitors: Math.ceil(count / HITS_PER_VISITOR), days });
  try {
    // A merge during the insertion would give some parts roll-ups. The engine does not merge these with parts that have
    // none.
    await store.command('ALTER TABLE hits MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1');
    say('inserting the hits of other redirects');
    await generate(hits - hitsOfRedirect, { redirectId: 'other', redirects: otherRedirects });
    say('inserting the hits of the redirect that is asked about');
    await generate(hitsOfRedirect, { redirectId });
    await addDelivery(store, redirectId, hitsOfRedirect);
    say('merging, which makes the roll-ups');
    await mergeAll(store, dataDir);
    await store.command('ALTER TABLE hits RESET SETTING max_bytes_to_merge_at_max_space_in_pool');
  } finally {
    await store.close();
  }
}

/** Merges the partitions in parallel, each over its own connection, because one merge uses one core. */
async function mergeAll(store: AnalyticsStore, dataDir: string): Promise<void> {
  const merges = (await partitionsToMerge(store)).map(async (id) => {
    const connection = await openAnalyticsStore({ dataDir });
    try {
      await connection.command(`OPTIMIZE TABLE hits PARTITION ID '${id}' FINAL`);
    } finally {
      await connection.close();
    }
  });
  await Promise.all(merges);
  // The engine reports no error when it skips a partition.
  const left = await partitionsToMerge(store);
  if (left.length > 0) throw new Error(`the engine did not merge the partitions ${left.join(', ')} of hits`);
}

/** The partitions of hits in several parts, or without roll-ups. */
async function partitionsToMerge(store: AnalyticsStore): Promise<string[]> {
  const partitions = await store.query<{ id: string }>(
    `SELECT partition_id AS id FROM system.parts WHERE table = 'hits' AND active
     GROUP BY id HAVING count() > 1 OR min(length(projections)) = 0`,
  );
  return partitions.map(({ id }) => id);
}

/** Inserts the counters that ingest would have written for the generated hits, one block of ordinals after another. */
function addDelivery(store: AnalyticsStore, redirect: string, count: number): Promise<void> {
  return store.command(
    `INSERT INTO redirect_counters (redirect_id, producer_id, requests, recorded, dropped, ordinals)
     SELECT {redirect:String}, concat('generated-', {redirect:String}), {count:UInt64}, {count:UInt64}, 0,
       groupArray(number + 1)
     FROM numbers({count:UInt64}) GROUP BY intDiv(number + 1, 1048576) SETTINGS max_block_size = 1048576`,
    { redirect, count },
  );
}
