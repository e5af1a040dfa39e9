import { useQuery } from '@tanstack/preact-query';
import { addressOf, request } from './request';

/** Period of statistics, with the time zone that groups days and hours. */
export interface StatisticsPeriod {
  /** ISO date. */
  readonly start: string;
  /** ISO date, included. */
  readonly end: string;
  readonly timezone: string;
  readonly days: number;
}

export interface StatisticsMeta {
  readonly sampling: { readonly rate: number; readonly estimatedTotalHits: number };
  readonly delivery: { readonly lost: number };
  readonly recording: { readonly active: boolean; readonly reason: string | null };
}

export interface Totals {
  readonly totalHits: number;
  readonly humanHits: number;
  readonly botHits: number;
  readonly uniqueVisitors: number;
  readonly avgHitsPerDay: number;
}

export interface TimeBucket {
  readonly timestamp: string;
  readonly hits: number;
  readonly humanHits: number;
  readonly botHits: number;
}

interface Counted {
  readonly hits: number;
  readonly uniqueVisitors?: number;
  readonly percentage: number;
}

interface TopRule {
  readonly count: number;
  readonly percentage: number;
  readonly ruleId: number;
  readonly name: string;
}

/** Parameters that select visits, in every statistic. */
export const HIT_CONDITIONS = [
  'country',
  'referrer',
  'source',
  'medium',
  'campaign',
  'term',
  'content',
  'path',
  'destination',
  'device',
  'browser',
  'os',
  'language',
  'statusCode',
  'ruleId',
] as const;

/** Conditions that an empty value makes select visits without the tag. */
export const TAGS: ReadonlySet<string> = new Set(['source', 'medium', 'campaign', 'term', 'content']);
export type HitConditions = Readonly<Partial<Record<(typeof HIT_CONDITIONS)[number], string>>>;

/** Rows of one list, in the form that all lists share. */
export interface RankedRow extends Counted {
  readonly key: string;
  readonly name: string;
  /** Selects the visits of the row. */
  readonly conditions?: HitConditions;
}

interface SeveralAnswer {
  readonly data: {
    readonly comparison: {
      readonly summary: {
        readonly current: Totals;
        readonly change: Readonly<Record<keyof Totals, number | null>>;
      };
    };
    readonly time: { readonly timeSeries: readonly TimeBucket[] };
    readonly geo: {
      readonly locations: readonly (Counted & {
        code: string | null;
        name: string | null;
        coordinates?: { readonly latitude: number; readonly longitude: number };
      })[];
    };
    readonly devices: {
      readonly devices: readonly (Counted & { type: string })[];
      readonly operatingSystems: readonly (Counted & { name: string; version: string })[];
    };
    readonly 'browser-families': { readonly browserFamilies: readonly (Counted & { browser: string })[] };
    readonly referrers: {
      readonly referrers: readonly (Counted & { url: string; domain: string; type: string })[];
    };
    readonly campaigns: {
      readonly campaigns: readonly (Counted & {
        source: string | null;
        medium: string | null;
        campaign: string | null;
        term: string | null;
        content: string | null;
      })[];
    };
    readonly paths: { readonly paths: readonly (Counted & { path: string })[] };
    readonly languages: {
      readonly languages: readonly (Counted & { language: string | null; name: string | null })[];
    };
    readonly 'destination-urls': {
      readonly destinationUrls: readonly (Counted & { destinationUrl: string })[];
    };
    readonly 'status-codes': { readonly statusCodes: readonly (Counted & { statusCode: number })[] };
    readonly bots: { readonly bots: readonly (Counted & { botReason: string })[] };
  };
  readonly meta: StatisticsMeta;
}

export type Statistics = SeveralAnswer;

const INCLUDED =
  'comparison,time,geo,devices,browser-families,referrers,campaigns,paths,languages,destination-urls,status-codes,bots';
const REFRESH_MS = 15_000;
const HITS_REFRESH_MS = 5_000;
const LIVE_REFRESH_MS = 5_000;
const LIVE_MS = 60_000;
const MAX_DAYS_BY_HOUR = 2;
const MAX_DAYS_BY_DAY = 120;

function intervalOf(days: number): 'hour' | 'day' | 'week' {
  if (days <= MAX_DAYS_BY_HOUR) return 'hour';
  return days <= MAX_DAYS_BY_DAY ? 'day' : 'week';
}

function queryOf({ start, end, timezone }: StatisticsPeriod) {
  return { start, end, timezone };
}

/** All lists and numbers of the page, by one request. Read again while the page is open. */
export function useStatistics(id: string, period: StatisticsPeriod, { conditions, isBot }: HitFilter) {
  // Each statistic leaves bots out, or shows them apart, unless only people are asked for.
  const includeBots = isBot === 'false' ? false : undefined;
  return useQuery({
    queryKey: ['statistics', id, period, conditions, includeBots],
    queryFn: ({ signal }) =>
      request<SeveralAnswer>('GET', '/analytics/redirect/{id}/stats', {
        params: { id },
        query: {
          ...queryOf(period),
          ...conditions,
          include: INCLUDED,
          interval: intervalOf(period.days),
          includeBots,
        },
        sendsEmpty: true,
        signal,
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: (previous) => previous,
  });
}

/** Rules by the visits that they decided. */
export function useTopRules(id: string, period: StatisticsPeriod, conditions: HitConditions) {
  return useQuery({
    queryKey: ['statistics', id, 'rules', period, conditions],
    async queryFn({ signal }): Promise<readonly RankedRow[]> {
      const { data } = await request<{ data: { topRules: readonly TopRule[] } }>(
        'GET',
        '/analytics/redirect/{id}/dashboard',
        { params: { id }, query: { ...queryOf(period), ...conditions }, sendsEmpty: true, signal },
      );
      return data.topRules.map(({ ruleId, name, count, percentage }) => ({
        key: String(ruleId),
        name,
        conditions: { ruleId: String(ruleId) },
        hits: count,
        percentage,
      }));
    },
    placeholderData: (previous) => previous,
  });
}

/** Number of visits within the last minute. */
export function useLiveVisits(id: string) {
  return useQuery({
    queryKey: ['hits', id, 'live'],
    async queryFn({ signal }) {
      const start = new Date(Date.now() - LIVE_MS).toISOString();
      const { pagination } = await request<HitPage>('GET', '/analytics/redirect/{id}/hits', {
        params: { id },
        query: { start, limit: 1 },
        signal,
      });
      return pagination.total;
    },
    refetchInterval: LIVE_REFRESH_MS,
    staleTime: 0,
  });
}

/** Visits by the hour, for the map of hours and weekdays. */
export function useHours(
  id: string,
  period: StatisticsPeriod,
  conditions: HitConditions,
  isEnabled: boolean,
) {
  return useQuery({
    queryKey: ['statistics', id, 'hours', period, conditions],
    async queryFn({ signal }) {
      const { data } = await request<{ data: { timeSeries: readonly TimeBucket[] } }>(
        'GET',
        '/analytics/redirect/{id}/stats/time',
        {
          params: { id },
          query: { ...queryOf(period), ...conditions, interval: 'hour' },
          sendsEmpty: true,
          signal,
        },
      );
      return data.timeSeries;
    },
    enabled: isEnabled,
    placeholderData: (previous) => previous,
  });
}

export interface Hit {
  readonly id: string;
  readonly timestamp: string;
  readonly host: string;
  readonly path: string;
  readonly query: string | null;
  readonly destinationUrl: string | null;
  readonly statusCode: number;
  readonly country: string | null;
  readonly deviceType: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  readonly isBot: boolean;
  readonly botReason: string | null;
}

export interface HitFilter {
  readonly page: number;
  readonly conditions: HitConditions;
  /** '': everyone. */
  readonly isBot: '' | 'true' | 'false';
}

interface HitPage {
  readonly data: readonly Hit[];
  readonly pagination: { readonly page: number; readonly total: number; readonly totalPages: number };
}

const HITS_PER_PAGE = 25;

/** A page of visits. The first page is read again while it is shown. */
export function useHits(id: string, period: StatisticsPeriod, filter: HitFilter) {
  return useQuery({
    queryKey: ['hits', id, period, filter],
    queryFn: ({ signal }) =>
      request<HitPage>('GET', '/analytics/redirect/{id}/hits', {
        params: { id },
        query: {
          ...queryOf(period),
          ...filter.conditions,
          isBot: filter.isBot || undefined,
          page: filter.page,
          limit: HITS_PER_PAGE,
        },
        sendsEmpty: true,
        signal,
      }),
    refetchInterval: filter.page === 1 ? HITS_REFRESH_MS : false,
    placeholderData: (previous) => previous,
  });
}

/** Returns the address of a file with the visits of the period that the filter leaves. */
export function exportAddress(
  id: string,
  { start, end, timezone }: StatisticsPeriod,
  { conditions, isBot }: HitFilter,
  format: 'csv' | 'ndjson',
): string {
  const query = new URLSearchParams({
    ...{ start, end, timezone, format },
    ...conditions,
    ...(isBot !== '' && { isBot }),
  });
  return addressOf(`/analytics/redirect/${encodeURIComponent(id)}/hits/export?${query}`);
}
