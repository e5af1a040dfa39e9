import { LRUCache } from 'lru-cache';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { answerWithin } from './answer-within.js';
import { fromRollUp } from './source.js';

/** Hits of one redirect in the current month (UTC). */
export interface MonthlyUsage {
  readonly recordedHits: number;
  /** Each hit weighed with the sampling rate at its time, rounded. */
  readonly estimatedTotalHits: number;
}

export interface UsageReader {
  /**
   * One entry for each of the ids, with zeros for those without hits. Up to a second old.
   *
   * @throws when the store fails, or has not answered after a second
   */
  usageOf(redirectIds: readonly string[]): Promise<Map<string, MonthlyUsage>>;
}

const MAX_AGE_MS = 1_000;
/** Redirects are shown with or without their usage. */
const TIMEOUT_MS = 1_000;
const MAX_CACHED_REDIRECTS = 10_000;
const NO_USAGE: MonthlyUsage = { recordedHits: 0, estimatedTotalHits: 0 };

interface UsageRow {
  readonly id: string;
  readonly hits: number;
  readonly estimated: number;
}

export interface UsageReaderOptions {
  readonly clock?: () => Date;
  /** How old an answer may be. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
}

/** Reads how much of its monthly allowance each redirect has used, many redirects with one query. */
export function createUsageReader(store: AnalyticsStore, options: UsageReaderOptions = {}): UsageReader {
  const { clock = () => new Date(), maxAgeMs = MAX_AGE_MS, timeoutMs = TIMEOUT_MS } = options;
  const cache = new LRUCache<string, MonthlyUsage>({ max: MAX_CACHED_REDIRECTS, ttl: maxAgeMs });

  async function readMonth(month: string, redirectIds: readonly string[]): Promise<UsageRow[]> {
    return store.query<UsageRow>(
      `SELECT * FROM (
         SELECT redirect_id AS id, count() AS hits, sum(1 / sampling_rate) AS estimated
         FROM hits
         WHERE redirect_id IN {redirects:Array(String)}
           AND toDate(timestamp) >= {from:Date} AND toDate(timestamp) < addMonths({from:Date}, 1)
         GROUP BY redirect_id
         ${fromRollUp('by_day')}
       )`,
      { redirects: redirectIds, from: `${month}-01` },
    );
  }

  return {
    async usageOf(redirectIds) {
      const month = clock().toISOString().slice(0, 7);
      const keyOf = (id: string) => `${month} ${id}`;
      const usage = new Map(redirectIds.map((id) => [id, cache.get(keyOf(id))]));
      const missing = [...usage].filter(([, known]) => known === undefined).map(([id]) => id);

      const rows = missing.length === 0 ? [] : await answerWithin(timeoutMs, readMonth(month, missing));
      const read = new Map(
        rows.map((row) => [
          row.id,
          { recordedHits: row.hits, estimatedTotalHits: Math.round(row.estimated) },
        ]),
      );
      return new Map(
        [...usage].map(([id, known]) => {
          const current = known ?? read.get(id) ?? NO_USAGE;
          if (known === undefined) cache.set(keyOf(id), current);
          return [id, current];
        }),
      );
    },
  };
}
