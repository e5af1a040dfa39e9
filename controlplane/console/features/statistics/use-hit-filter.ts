import {
  HIT_CONDITIONS,
  type HitConditions,
  type HitFilter,
  type RankedRow,
  TAGS,
} from '../../data/statistics';
import type { usePeriod } from './use-period';

/** Filter of the visits. It stands in the address, beside the period. */
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
    /** Filters by conditions, or no longer where all of them are set. */
    toggle(wanted: HitConditions): void {
      const isSet = holds(wanted);
      const values = Object.entries(wanted).map(([name, value]) => [name, isSet ? null : value]);
      change({ ...Object.fromEntries(values), page: null });
    },
    /** Shows the visits of bots. */
    showBots(): void {
      change({ bots: 'true', page: null });
      document.getElementById('visits')?.scrollIntoView({ block: 'start' });
    },
  };
}
