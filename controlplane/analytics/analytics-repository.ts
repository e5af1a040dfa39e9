import type { AnalyticsStore, QueryParams } from '../clickhouse/analytics-store.js';
import { AnalyticsStoreError } from '../clickhouse/store-error.js';
import { AppError } from '../errors/app-error.js';
import { HITS_OF_PERIOD, type HitFilter, hitFilterParams } from './hit-filter.js';
import type { Interval } from './intervals.js';

export interface HitCounts {
  readonly botHits: number;
  readonly humanHits: number;
  readonly uniqueVisitors: number;
  /** Each hit weighed with how much traffic it stands for: 1 / sampling rate at its time. Not rounded. */
  readonly estimatedHits: number;
}

export interface HitTotals extends HitCounts {
  /** Hits answered with 2xx or 3xx. */
  readonly successfulHits: number;
}

export interface HitBucket extends HitCounts {
  /** Start of the bucket, Unix time in milliseconds. */
  readonly startMs: number;
}

export interface BusiestDay {
  /** Its midnight (UTC), Unix time in milliseconds. */
  readonly startMs: number;
  readonly hits: number;
}

/** How the hits of one redirect fared on their way here, ever since. */
export interface Delivery {
  /** Chosen by sampling at a data plane. */
  readonly recorded: number;
  /** Of those, in the store, each counted once. */
  readonly delivered: number;
  /** Stored more than once: the surplus. */
  readonly duplicated: number;
  /** Not in the store: given up because a buffer was full, or not arrived while later ones have. */
  readonly lost: number;
}

export interface CountOptions {
  /** Whether bots count among the unique visitors. */
  readonly includeBots: boolean;
}

const BUCKET_START: Readonly<Record<Interval, string>> = {
  hour: "toStartOfHour(timestamp, 'UTC')",
  day: "toStartOfDay(timestamp, 'UTC')",
  week: "toStartOfWeek(timestamp, 1, 'UTC')",
  month: "toStartOfMonth(timestamp, 'UTC')",
};

/** A DateTime or a Date of UTC as Unix time in milliseconds, whatever time zone the server is in. */
const asMilliseconds = (time: string) => `toInt64(toUnixTimestamp(toDateTime(${time}, 'UTC'))) * 1000`;

const countColumns = ({ includeBots }: CountOptions) => `
  countIf(is_bot = 1) AS botHits,
  countIf(is_bot = 0) AS humanHits,
  ${includeBots ? 'uniqExact(visitor)' : 'uniqExactIf(visitor, is_bot = 0)'} AS uniqueVisitors,
  sum(1 / sampling_rate) AS estimatedHits`;

/** All SQL behind the statistics of one redirect. */
export interface AnalyticsRepository {
  totals(filter: HitFilter, options: CountOptions): Promise<HitTotals>;
  /** The day (UTC) with the most hits, the earliest of equals; none when there were no hits. */
  busiestDay(filter: HitFilter): Promise<BusiestDay | undefined>;
  /** Only the buckets that have hits, in order. */
  buckets(filter: HitFilter, interval: Interval, options: CountOptions): Promise<HitBucket[]>;
  delivery(redirectId: string): Promise<Delivery>;
}

export function createAnalyticsRepository(store: AnalyticsStore): AnalyticsRepository {
  const select = <Row extends object>(sql: string, params: QueryParams) =>
    store.query<Row>(sql, params).catch((error: unknown) => {
      throw asAnswer(error);
    });

  return {
    async totals(filter, options) {
      const [row] = await select<HitTotals>(
        `SELECT ${countColumns(options)}, countIf(status_code BETWEEN 200 AND 399) AS successfulHits
         FROM hits WHERE ${HITS_OF_PERIOD}`,
        hitFilterParams(filter),
      );
      return row ?? { botHits: 0, humanHits: 0, uniqueVisitors: 0, estimatedHits: 0, successfulHits: 0 };
    },

    async busiestDay(filter) {
      const [row] = await select<BusiestDay>(
        `SELECT ${asMilliseconds(BUCKET_START.day)} AS startMs, count() AS hits
         FROM hits WHERE ${HITS_OF_PERIOD}
         GROUP BY startMs ORDER BY hits DESC, startMs LIMIT 1`,
        hitFilterParams(filter),
      );
      return row;
    },

    buckets: (filter, interval, options) =>
      select<HitBucket>(
        `SELECT ${asMilliseconds(BUCKET_START[interval])} AS startMs, ${countColumns(options)}
         FROM hits WHERE ${HITS_OF_PERIOD}
         GROUP BY startMs ORDER BY startMs`,
        hitFilterParams(filter),
      ),

    async delivery(redirectId) {
      // A hit that is here was recorded, also while the counters that came with it are still being written.
      const [row] = await select<Delivery>(
        `SELECT sum(greatest(counted, found)) AS recorded, sum(found) AS delivered,
           sum(rows - found) AS duplicated, sum(greatest(counted, found) - found) AS lost
         FROM (
           SELECT producer_id, max(c) AS counted, max(r) AS rows, max(f) AS found FROM (
             SELECT producer_id, max(recorded) AS c, 0 AS r, 0 AS f
             FROM redirect_counters WHERE redirect_id = {redirect:String} GROUP BY producer_id
             UNION ALL
             SELECT producer_id, 0 AS c, count() AS r, groupBitmap(ordinal) AS f
             FROM hits WHERE redirect_id = {redirect:String} GROUP BY producer_id
           ) GROUP BY producer_id
         )`,
        { redirect: redirectId },
      );
      return row ?? { recorded: 0, delivered: 0, duplicated: 0, lost: 0 };
    },
  };
}

/** What a caller can do something about becomes an answer; the rest stays a fault of ours. */
export function asAnswer(error: unknown): unknown {
  if (!(error instanceof AnalyticsStoreError)) return error;
  if (error.failure === 'unavailable') {
    const message = 'Analytics cannot be reached at the moment; retry later. Redirecting is not affected.';
    return new AppError('SERVICE_UNAVAILABLE', { message, cause: error });
  }
  if (error.failure === 'too-heavy') {
    const message = 'There are too many hits in this period to answer in time; ask for a shorter one.';
    return new AppError('SERVICE_UNAVAILABLE', { message, cause: error });
  }
  return error;
}
