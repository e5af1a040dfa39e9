import type { HitBatch } from '../../shared/hits/hit-batch.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import type { HitNames } from './hit-names.js';

/** The shortest retention of any plan, so younger hits have not expired. */
const SHORTEST_RETENTION_MS = 24 * 3600 * 1000;

/**
 * Returns whether the hits of a batch are stored already. The deduplication window of the table covers immediate
 * repetitions. This covers late ones, such as the spool of a machine that was down.
 *
 * @param names of the hits of the batch, at least one
 */
export async function areStored(store: AnalyticsStore, batch: HitBatch, names: HitNames): Promise<boolean> {
  // A batch belongs to one month, so ClickHouse inserts it as one part. If its first hit is stored, all of its hits are
  // stored or have expired.
  if (!(await isFirstStored(store, batch, names))) return false;
  // On a cluster a shard may have been unavailable, so the other hits are counted. Recent hits cannot have expired. If
  // some are missing, the batch is inserted again. Shards that have their part discard the repetition by its token.
  const isOld = (names.timesMs[0] ?? 0) < Date.now() - SHORTEST_RETENTION_MS;
  return isOld || (await countStored(store, batch, names)) >= batch.hitCount;
}

/** The lookup by primary key is cheap enough for every batch. */
async function isFirstStored(
  store: AnalyticsStore,
  { producerId, firstOrdinal }: HitBatch,
  { redirects, timesMs }: HitNames,
): Promise<boolean> {
  // Not count(), for which the engine would look into every projection: 8 ms instead of 3.
  const rows = await store.query(
    `SELECT 1 AS found FROM hits
     WHERE producer_id = {producer:String} AND ordinal = {ordinal:UInt64} AND redirect_id = {redirect:String}
       AND timestamp = fromUnixTimestamp64Milli({timeMs:Int64}, 'UTC')
     LIMIT 1`,
    {
      producer: producerId,
      ordinal: firstOrdinal,
      redirect: redirects.texts[redirects.indexes[0] ?? 0] ?? '',
      timeMs: timesMs[0] ?? 0,
    },
    { isIngestion: true },
  );
  return rows.length > 0;
}

async function countStored(
  store: AnalyticsStore,
  { producerId, firstOrdinal, hitCount }: HitBatch,
  { timesMs }: HitNames,
): Promise<number> {
  const [row] = await store.query<{ hits: number }>(
    `SELECT uniqExact(ordinal) AS hits FROM hits
     WHERE producer_id = {producer:String} AND ordinal BETWEEN {first:UInt64} AND {last:UInt64}
       AND timestamp BETWEEN fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
         AND fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
    {
      producer: producerId,
      first: firstOrdinal,
      last: firstOrdinal + hitCount - 1,
      fromMs: timesMs.reduce((a, b) => Math.min(a, b)),
      toMs: timesMs.reduce((a, b) => Math.max(a, b)),
    },
    { isIngestion: true },
  );
  return row?.hits ?? 0;
}
