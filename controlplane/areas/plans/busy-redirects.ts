import type { AreaParts } from '../../area.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';

/** Maximum age of a count while the redirect's counters show that it is within its limit. */
const COUNT_AGAIN_AFTER_MS = 60_000;
/** Maximum redirects per statement. */
const COUNTED_AT_ONCE = 1_000;

/**
 * Returns the event counts of redirects whose recorded events since the start of a month reach the smallest of these
 * limits. A count may be an earlier one if both are on the same side of every limit.
 *
 * @param limits ascending, at least one
 */
export type FindBusyRedirects = (
  limits: readonly number[],
  month: Date,
) => Promise<ReadonlyMap<string, number>>;

/** Last count of a redirect's events in a month. */
interface Count {
  readonly hits: number;
  /** The data planes' counters at that time. */
  readonly recorded: number;
  readonly countedAtMs: number;
}

/** Limits must be checked even while many dashboard queries wait. */
const IN_BACKGROUND = { isBackground: true };

/**
 * Finds redirects that have reached their limit, by the count of the statistics. It counts only where the limit may
 * have been reached since the last call. The data planes' counters show this cheaply, because they grow with every
 * stored hit.
 */
export function createBusyRedirects({ store, nowMs }: Pick<AreaParts, 'store' | 'nowMs'>): FindBusyRedirects {
  let counts: ReadonlyMap<string, Count> = new Map();
  let countedMonth: number | undefined;

  function mustCount(known: Count | undefined, recorded: number, limits: readonly number[]): boolean {
    if (known === undefined) return true;
    if (known.recorded === recorded) return false;
    const nextLimit = limits.find((limit) => limit > known.hits);
    if (nextLimit === undefined) return false;
    const isStale = nowMs() - known.countedAtMs >= COUNT_AGAIN_AFTER_MS;
    return isStale || known.hits + recorded - known.recorded >= nextLimit;
  }

  return async (limits, month) => {
    const [smallest = 0] = limits;
    const before = countedMonth === month.getTime() ? counts : new Map<string, Count>();
    const recordedOf = await readRecorded(store, smallest);
    const open = [...recordedOf].filter(([id, recorded]) => mustCount(before.get(id), recorded, limits));
    const countedAtMs = nowMs();
    const hitsOf = await countSince(
      store,
      open.map(([id]) => id),
      month,
    );
    const counted = open.map(([id, recorded]): [string, Count] => [
      id,
      { hits: hitsOf.get(id) ?? 0, recorded, countedAtMs },
    ]);
    const known = [...before].filter(([id]) => recordedOf.has(id));
    counts = new Map([...known, ...counted]);
    countedMonth = month.getTime();
    return new Map(
      [...counts].filter(([, { hits }]) => hits >= smallest).map(([id, { hits }]) => [id, hits]),
    );
  };
}

/** Reads the number of all recorded hits of redirects that have at least `atLeast`. No month can have more. */
async function readRecorded(store: AnalyticsStore, atLeast: number): Promise<Map<string, number>> {
  // A producer's totals only grow: the greatest is the newest.
  const rows = await store.query<{ id: string; total: number }>(
    `SELECT id, sum(newest) AS total
     FROM (SELECT redirect_id AS id, max(recorded) AS newest FROM redirect_counters GROUP BY id, producer_id)
     GROUP BY id HAVING total >= {atLeast:UInt64}`,
    { atLeast },
    IN_BACKGROUND,
  );
  return new Map(rows.map(({ id, total }) => [id, total]));
}

/** Reads the hourly roll-up, because a month begins on the hour. Redirects without hits are absent. */
export const HITS_SINCE = `SELECT redirect_id AS id, count() AS hits FROM hits
  WHERE redirect_id IN {redirects:Array(String)}
    AND toStartOfHour(timestamp) >= toStartOfHour(fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC'))
  GROUP BY redirect_id`;

async function countSince(
  store: AnalyticsStore,
  redirectIds: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const hitsOf = new Map<string, number>();
  for (let first = 0; first < redirectIds.length; first += COUNTED_AT_ONCE) {
    const redirects = redirectIds.slice(first, first + COUNTED_AT_ONCE);
    const params = { redirects, sinceMs: since.getTime() };
    for (const { id, hits } of await store.query<{ id: string; hits: number }>(
      HITS_SINCE,
      params,
      IN_BACKGROUND,
    )) {
      hitsOf.set(id, hits);
    }
  }
  return hitsOf;
}
