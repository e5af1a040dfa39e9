import { useMemo } from 'preact/hooks';
import { useAddressParams } from '../../components/address-filter';
import {
  HIT_CONDITIONS,
  type HitConditions,
  type HitFilter,
  type RankedRow,
  type StatisticsPeriod,
  TAGS,
} from '../../data/statistics';
import { texts } from '../../texts/texts';

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DEFAULT_DAYS = '30';

export type PeriodName = keyof typeof texts.statistics.period.names;

/** Returns the local date as `YYYY-MM-DD`. */
export function dateOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function daysBetween(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

/** Returns the period of the page. The URL has it, so users can share a view. */
export function usePeriod() {
  const [params, change] = useAddressParams();
  const from = params.get('from') ?? '';
  const to = params.get('to') ?? '';
  const isCustom = DATE.test(from) && DATE.test(to);
  const asked = params.get('days') ?? DEFAULT_DAYS;
  const days = asked in texts.statistics.period.names ? asked : DEFAULT_DAYS;
  const today = dateOf(new Date());
  const period = useMemo<StatisticsPeriod>(() => {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (isCustom) return { start: from, end: to, timezone, days: daysBetween(from, to) };
    const first = new Date();
    first.setDate(first.getDate() - Number(days) + 1);
    return { start: dateOf(first), end: today, timezone, days: Number(days) };
  }, [isCustom, from, to, days, today]);

  return {
    period,
    name: (isCustom ? 'custom' : days) as PeriodName,
    params,
    change,
    choose(name: string) {
      if (name === 'custom') change({ from: period.start, to: period.end, days: null, page: null });
      else change({ days: name, from: null, to: null, page: null });
    },
  };
}

/** Returns the filter of the visits. The URL has it, like the period. */
export function useHitFilter({ params, change }: Pick<ReturnType<typeof usePeriod>, 'params' | 'change'>) {
  const asked = HIT_CONDITIONS.map((name) => [name, params.get(name)] as const);
  const conditions: HitConditions = Object.fromEntries(
    asked.filter(([name, value]) => value !== null && (value !== '' || TAGS.has(name))),
  );
  const bots = params.get('bots');
  const filter: HitFilter = {
    page: Math.max(1, Math.trunc(Number(params.get('page') ?? 1)) || 1),
    conditions,
    isBot: bots === 'true' || bots === 'false' ? bots : '',
  };
  const holds = (wanted: HitConditions) => {
    const names = Object.keys(wanted) as (keyof HitConditions)[];
    return names.length > 0 && names.every((name) => conditions[name] === wanted[name]);
  };
  return {
    filter,
    isChosen: (row: RankedRow) => row.conditions !== undefined && holds(row.conditions),
    /** Filters by the given conditions. If all of them are set already, removes them. */
    toggle(wanted: HitConditions): void {
      const isSet = holds(wanted);
      const values = Object.entries(wanted).map(([name, value]) => [name, isSet ? null : value]);
      change({ ...Object.fromEntries(values), page: null });
    },
    /** Filters by visits of bots. */
    showBots(): void {
      change({ bots: 'true', page: null });
      document.getElementById('visits')?.scrollIntoView({ block: 'start' });
    },
  };
}
