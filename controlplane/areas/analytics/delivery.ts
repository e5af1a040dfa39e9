import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';

/** Delivery figures of one redirect's hits since its creation. */
export interface Delivery {
  /** Hits that data planes chose by sampling. */
  readonly recorded: number;
  /** Stored hits, each counted once, including those that have expired since. */
  readonly delivered: number;
  /** Additional copies in the store, until merges remove them. */
  readonly duplicated: number;
  /** Hits that were never stored: dropped because a buffer was full, or missing while later ones arrived. */
  readonly lost: number;
}

/** Number of stored hits, including deleted ones. The ordinals of a producer come in blocks. */
const STORED = `
  SELECT producer_id, max(recorded) AS counted, groupBitmapMergeState(delivered) AS ordinals,
    bitmapCardinality(ordinals) AS found, if(found = 0, 0, bitmapMin(ordinals)) AS lowest,
    if(found = 0, 0, bitmapMax(ordinals)) AS highest
  FROM redirect_counters WHERE redirect_id = {redirect:String} GROUP BY producer_id, block`;

/** Number of hits in the store, from the roll-up by_producer. */
export const THERE = `
  SELECT producer_id, count() AS rows, min(ordinal) AS first, max(ordinal) AS last
  FROM hits WHERE redirect_id = {redirect:String} GROUP BY producer_id
  SETTINGS preferred_optimize_projection_name = 'by_producer'`;

// The oldest hits expire first, so all ordinals between the first and the last stored one should exist once. A batch
// that is being written is stored before its ordinals; these come in order, so it can only have the last ones. If
// hits in the middle expired first, as after a change of plans, the surplus may be too small, but never too large.
// Only a partial block is read one by one.
const DELIVERY = `
  SELECT sum(greatest(counted, found)) AS recorded, sum(found) AS delivered,
    sum(greatest(rows - expected - unsettled, 0)) AS duplicated, sum(greatest(counted, found) - found) AS lost
  FROM (
    SELECT max(stored.counted) AS counted, sum(stored.found) AS found, toInt64(any(there.rows)) AS rows,
      toInt64(sum(multiIf(
        lowest >= first AND highest <= last, stored.found,
        highest < first OR lowest > last, 0,
        bitmapCardinality(bitmapSubsetInRange(ordinals, first, last + 1))))) AS expected,
      greatest(toInt64(any(last)) - toInt64(max(highest)), 0) AS unsettled
    FROM (${STORED}) AS stored LEFT JOIN (${THERE}) AS there USING producer_id
    GROUP BY producer_id
  )`;

/** Reads the figures by `select`, in a time that does not depend on the number of hits of a producer. */
export async function readDelivery(
  select: <Row extends object>(sql: string, params: QueryParams) => Promise<Row[]>,
  redirectId: string,
): Promise<Delivery> {
  const [row] = await select<Delivery>(DELIVERY, { redirect: redirectId });
  return row ?? { recorded: 0, delivered: 0, duplicated: 0, lost: 0 };
}
