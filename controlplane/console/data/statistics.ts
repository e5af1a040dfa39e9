import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { keepFormer, queryOf } from './queries';
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

/** Conditions for which an empty value selects the visits without the tag. */
export const TAGS: ReadonlySet<string> = new Set(['source', 'medium', 'campaign', 'term', 'content']);
export type HitConditions = Readonly<Partial<Record<(typeof HIT_CONDITIONS)[number], string>>>;

/** A row of a list. All lists of the page share this type. */
export interface RankedRow {
  readonly key: string;
  readonly name: string;
  readonly hits: number;
  readonly uniqueVisitors?: number;
  readonly percentage: number;
  /** Conditions that select the visits of the row. */
  readonly conditions?: HitConditions;
}

/** Statistics that the page reads with one request. */
const INCLUDED = [
  'comparison',
  'time',
  'geo',
  'devices',
  'browser-families',
  'referrers',
  'campaigns',
  'paths',
  'languages',
  'destination-urls',
  'status-codes',
  'bots',
] as const;
type Included = Pick<Schemas.SeveralStats['data'], (typeof INCLUDED)[number]>;
export type Statistics = Omit<Schemas.SeveralStats, 'data'> & { readonly data: Required<Included> };
export type TimeBucket = Schemas.TimeStatsData['timeSeries'][number];

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

const spanOf = ({ start, end, timezone }: StatisticsPeriod) => ({ start, end, timezone });

/** Reads all lists and numbers of the page with one request, and refreshes them while the page is open. */
export function useStatistics(id: string, period: StatisticsPeriod, { conditions, isBot }: HitFilter) {
  // Without this parameter, each statistic excludes bots or shows them separately.
  const includeBots = isBot === 'false' ? false : undefined;
  return useQuery({
    queryKey: ['statistics', id, period, conditions, includeBots],
    queryFn: async ({ signal }) =>
      (await request('GET', '/analytics/redirect/{redirectId}/stats', {
        params: { redirectId: id },
        query: {
          ...spanOf(period),
          ...conditions,
          include: INCLUDED.join(),
          interval: intervalOf(period.days),
          includeBots,
        },
        sendsEmpty: true,
        signal,
      })) as Statistics,
    refetchInterval: REFRESH_MS,
    placeholderData: keepFormer,
  });
}

/** Reads the rules, ordered by the number of visits that they decided. */
export function useTopRules(id: string, period: StatisticsPeriod, conditions: HitConditions) {
  return useQuery({
    queryKey: ['statistics', id, 'rules', period, conditions],
    async queryFn({ signal }): Promise<readonly RankedRow[]> {
      const { data } = await request('GET', '/analytics/redirect/{redirectId}/dashboard', {
        params: { redirectId: id },
        query: { ...spanOf(period), ...conditions },
        sendsEmpty: true,
        signal,
      });
      return data.topRules.map(({ ruleId, name, count, percentage }) => ({
        key: String(ruleId),
        name,
        conditions: { ruleId: String(ruleId) },
        hits: count,
        percentage,
      }));
    },
    placeholderData: keepFormer,
  });
}

/** Reads the number of visits within the last minute. */
export function useLiveVisits(id: string) {
  return useQuery({
    queryKey: ['hits', id, 'live'],
    async queryFn({ signal }) {
      const start = new Date(Date.now() - LIVE_MS).toISOString();
      const { pagination } = await request('GET', '/analytics/redirect/{redirectId}/hits', {
        params: { redirectId: id },
        query: { start, limit: 1 },
        signal,
      });
      return pagination.total;
    },
    refetchInterval: LIVE_REFRESH_MS,
    staleTime: 0,
  });
}

/** Reads the visits per hour, for the heat map of hours and weekdays. */
export function useHours(
  id: string,
  period: StatisticsPeriod,
  conditions: HitConditions,
  isEnabled: boolean,
) {
  return useQuery({
    ...queryOf(
      ['statistics', id, 'hours', period, conditions],
      '/analytics/redirect/{redirectId}/stats/time',
      {
        params: { redirectId: id },
        query: { ...spanOf(period), ...conditions, interval: 'hour' },
        sendsEmpty: true,
      },
    ),
    enabled: isEnabled,
    placeholderData: keepFormer,
  });
}

export interface HitFilter {
  readonly page: number;
  readonly conditions: HitConditions;
  /** '': everyone. */
  readonly isBot: '' | 'true' | 'false';
}

const HITS_PER_PAGE = 25;

/** Reads a page of visits. Refreshes the first page while it is shown. */
export function useHits(id: string, period: StatisticsPeriod, filter: HitFilter) {
  return useQuery({
    ...queryOf(['hits', id, period, filter], '/analytics/redirect/{redirectId}/hits', {
      params: { redirectId: id },
      query: {
        ...spanOf(period),
        ...filter.conditions,
        isBot: filter.isBot || undefined,
        page: filter.page,
        limit: HITS_PER_PAGE,
      },
      sendsEmpty: true,
    }),
    refetchInterval: filter.page === 1 ? HITS_REFRESH_MS : false,
    placeholderData: keepFormer,
  });
}

/** Returns the URL of a file with the visits of the period that match the filter. */
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
