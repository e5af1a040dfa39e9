import { LRUCache } from 'lru-cache';
import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import { createGatheredReads } from '../reads/gathered-reads.js';
import { answerWithin, KEPT_ANSWER_LIMITS } from './answer-within.js';
import { fromRollUp } from './source.js';

/** Hits of one redirect in the current month (UTC). */
export interface MonthlyUsage {
  readonly recordedHits: number;
  /** Each hit weighed with the sampling rate at its time, rounded. */
  readonly estimatedTotalHits: number;
}

export interface UsageReading {
  /** By redirect. */
  readonly usage: ReadonlyMap<string, MonthlyUsage>;
  /** Until then (milliseconds since 1970) the same would be told again. */
  readonly freshUntilMs: number;
}

export interface UsageReader {
  /**
   * One entry for each of the ids, with zeros for those without hits. Up to a second old.
   *
   * @throws when the store fails, or has not answered after a second
   */
  usageOf(redirectIds: readonly string[]): Promise<UsageReading>;
}

const MAX_AGE_MS = 1_000;
/** Redirects are shown with or without their usage. */
const TIMEOUT_MS = 1_000;
const MAX_CACHED_REDIRECTS = 10_000;
/** One user with very many hits does not hold up everybody else. */
const MAX_QUERIES_AT_ONCE = 4;
/** The ids of a query are one parameter, of which a ClickHouse server takes 128 KiB (`http_max_field_value_size`). */
const MAX_REDIRECTS_PER_QUERY = 5_000;
const NO_USAGE: MonthlyUsage = { recordedHits: 0, estimatedTotalHits: 0 };

interface UsageRow {
  readonly id: string;
  readonly hits: number;
  readonly estimated: number;
}

/** Usage as it was read. */
interface Known {
  readonly month: string;
  readonly usage: MonthlyUsage;
  readonly freshUntilMs: number;
}

const OUTDATED: Omit<Known, 'month'> = { usage: NO_USAGE, freshUntilMs: 0 };

export interface UsageReaderOptions {
  readonly clock?: () => Date;
  /** How old an answer may be. */
  readonly maxAgeMs?: number;
  readonly timeoutMs?: number;
}

/**
 * Reads how much of its monthly allowance each redirect has used: those of all callers together, and each of them
 * once however many ask.
 */
export function createUsageReader(store: AnalyticsStore, options: UsageReaderOptions = {}): UsageReader {
  const { clock = () => new Date(), maxAgeMs = MAX_AGE_MS, timeoutMs = TIMEOUT_MS } = options;
  const cache = new LRUCache<string, Known>({ max: MAX_CACHED_REDIRECTS, ttl: maxAgeMs });
  const underWay = new Map<string, Promise<Known | undefined>>();
  const currentMonth = () => clock().toISOString().slice(0, 7);

  const reads = createGatheredReads(
    async (redirectIds) => {
      const month = currentMonth();
      const rows = await readMonth(store, month, redirectIds);
      const freshUntilMs = Date.now() + maxAgeMs;
      const used = new Map(rows.map((row) => [row.id, usageIn(row)]));
      const known = redirectIds.map((id): [string, Known] => [
        id,
        { month, usage: used.get(id) ?? NO_USAGE, freshUntilMs },
      ]);
      for (const [id, usage] of known) cache.set(id, usage);
      return new Map(known);
    },
    { maxReadsAtOnce: MAX_QUERIES_AT_ONCE, maxKeysPerRead: MAX_REDIRECTS_PER_QUERY },
  );

  function read(id: string): Promise<Known | undefined> {
    const begun = underWay.get(id) ?? reads.read(id).finally(() => underWay.delete(id));
    underWay.set(id, begun);
    return begun;
  }

  return {
    async usageOf(redirectIds) {
      const month = currentMonth();
      const find = async (id: string) => {
        const cached = cache.get(id);
        return [id, cached?.month === month ? cached : await read(id)] as const;
      };
      const found = await answerWithin(timeoutMs, Promise.all(redirectIds.map(find)));
      // What was asked for in a month may be answered in the next one, of which it tells nothing.
      const monthNow = currentMonth();
      const current = found.map(([id, known]) => [id, known?.month === monthNow ? known : OUTDATED] as const);
      return {
        usage: new Map(current.map(([id, { usage }]) => [id, usage])),
        freshUntilMs: current.reduce((least, [, known]) => Math.min(least, known.freshUntilMs), Infinity),
      };
    },
  };
}

function readMonth(
  store: AnalyticsStore,
  month: string,
  redirectIds: readonly string[],
): Promise<UsageRow[]> {
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
    KEPT_ANSWER_LIMITS,
  );
}

function usageIn({ hits, estimated }: UsageRow): MonthlyUsage {
  return { recordedHits: hits, estimatedTotalHits: Math.round(estimated) };
}
