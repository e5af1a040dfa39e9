import type { AnalyticsStore } from '../clickhouse/analytics-store.js';
import {
  type AnalyticsRepository,
  createAnalyticsRepository,
  type Delivery,
  type HitCounts,
} from './analytics-repository.js';
import type { BasicStats, MetaBase, SamplingMeta, TimeStats } from './analytics-schema.js';
import { bucketStarts, type Interval } from './intervals.js';
import { daysOf, iso, type Period, type PeriodQuery, parsePeriod } from './period.js';
import { average, percentage } from './ratios.js';

/** What the statistics need to know of a redirect. */
export interface OwnedRedirect {
  readonly id: string;
  readonly samplingRate: number;
}

/** The one place that decides whose a redirect is. */
export interface RedirectOwnership {
  /** @throws AppError NOT_FOUND when there is none, FORBIDDEN when it is somebody else's */
  requireOwned(redirectId: string, userId: string): Promise<OwnedRedirect>;
}

export interface StatsQuery extends PeriodQuery {
  readonly includeBots: boolean;
}

export interface AnalyticsServiceDeps {
  readonly store: AnalyticsStore;
  readonly redirects: RedirectOwnership;
  readonly clock?: () => Date;
}

/** Statistics of one redirect for its owner. Each answers with zeros when there are no hits. */
export interface AnalyticsService {
  basicStats(redirectId: string, userId: string, query: StatsQuery): Promise<BasicStats>;
  timeStats(
    redirectId: string,
    userId: string,
    query: StatsQuery & { readonly interval: Interval },
  ): Promise<TimeStats>;
}

export function createAnalyticsService(deps: AnalyticsServiceDeps): AnalyticsService {
  const { redirects, clock = () => new Date() } = deps;
  const repository: AnalyticsRepository = createAnalyticsRepository(deps.store);

  return {
    async basicStats(redirectId, userId, query) {
      const redirect = await redirects.requireOwned(redirectId, userId);
      const period = parsePeriod(query, clock());
      const filter = { redirectId: redirect.id, period };
      const [totals, busiestDay, delivery] = await Promise.all([
        repository.totals(filter, query),
        repository.busiestDay(filter),
        repository.delivery(redirect.id),
      ]);
      const totalHits = totals.botHits + totals.humanHits;
      return {
        data: {
          totalHits,
          uniqueVisitors: totals.uniqueVisitors,
          botHits: totals.botHits,
          humanHits: totals.humanHits,
          avgHitsPerDay: average(totalHits, daysOf(period)),
          peakHits: busiestDay?.hits ?? 0,
          peakDate: busiestDay === undefined ? null : iso(busiestDay.startMs),
          successRate: percentage(totals.successfulHits, totalHits),
        },
        meta: meta(redirect, period, samplingOf(redirect, [totals]), delivery),
      };
    },

    async timeStats(redirectId, userId, query) {
      const redirect = await redirects.requireOwned(redirectId, userId);
      const period = parsePeriod(query, clock());
      const starts = bucketStarts(period, query.interval);
      const [buckets, delivery] = await Promise.all([
        repository.buckets({ redirectId: redirect.id, period }, query.interval, query),
        repository.delivery(redirect.id),
      ]);
      const byStart = new Map(buckets.map((bucket) => [bucket.startMs, bucket]));
      const timeSeries = starts.map((startMs) => {
        const { botHits, humanHits, uniqueVisitors } = byStart.get(startMs) ?? NO_HITS;
        return { timestamp: iso(startMs), hits: botHits + humanHits, uniqueVisitors, botHits, humanHits };
      });
      return {
        data: { timeSeries, summary: summaryOf(timeSeries) },
        meta: {
          ...meta(redirect, period, samplingOf(redirect, buckets), delivery),
          interval: query.interval,
        },
      };
    },
  };
}

const NO_HITS = { botHits: 0, humanHits: 0, uniqueVisitors: 0 } as const;

function summaryOf(timeSeries: TimeStats['data']['timeSeries']): TimeStats['data']['summary'] {
  let totalHits = 0;
  let peakHits = 0;
  let peakTimestamp: string | null = null;
  for (const { hits, timestamp } of timeSeries) {
    totalHits += hits;
    if (hits > peakHits) {
      peakHits = hits;
      peakTimestamp = timestamp;
    }
  }
  return { totalHits, peakHits, peakTimestamp, avgHits: average(totalHits, timeSeries.length) };
}

function samplingOf(redirect: OwnedRedirect, counts: readonly HitCounts[]): SamplingMeta {
  return {
    rate: redirect.samplingRate,
    recordedHits: counts.reduce((sum, { botHits, humanHits }) => sum + botHits + humanHits, 0),
    estimatedTotalHits: Math.round(counts.reduce((sum, { estimatedHits }) => sum + estimatedHits, 0)),
  };
}

function meta(redirect: OwnedRedirect, period: Period, sampling: SamplingMeta, delivery: Delivery): MetaBase {
  return {
    redirectId: redirect.id,
    period: { start: iso(period.startMs), end: iso(period.endMs) },
    sampling,
    delivery,
  };
}
