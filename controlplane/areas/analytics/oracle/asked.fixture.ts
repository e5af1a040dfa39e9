import { DAY_MS, type Period, startOfDay } from '../period.js';
import { filtered } from './filters.fixture.js';
import type { KnownHit } from './random-traffic.fixture.js';
import { clockOf } from './zoned-clock.fixture.js';

/** Input of a question: all hits that were recorded, selected one by one. */
export interface Asked {
  readonly period: Period;
  readonly periodBefore: Period;
  /** As given. */
  readonly includeBots: boolean | undefined;
  /** Name in the IANA database. */
  readonly timezone: string;
  /** All recorded hits of the period, before filters. */
  readonly recordedHits: readonly KnownHit[];
  /** All hits that the filters select, including bots. */
  readonly allHits: readonly KnownHit[];
  /** Hits that totals count: all, unless the caller excludes bots. */
  readonly hits: readonly KnownHit[];
  /** Hits that lists and uniques count. */
  readonly audience: readonly KnownHit[];
  readonly hitsBefore: readonly KnownHit[];
  readonly audienceBefore: readonly KnownHit[];
  /** Further parameters of the question. */
  readonly query: Readonly<Record<string, string | number | boolean>>;
}

/** The expected answer; `meta` without its common members. */
export interface Expected {
  readonly data: unknown;
  readonly meta: object;
}

export function asked(
  recorded: readonly KnownHit[],
  { period, includeBots, timezone, query }: Pick<Asked, 'period' | 'includeBots' | 'timezone' | 'query'>,
): Asked {
  const before = periodBefore(period, timezone);
  const recordedHits = hitsOf(recorded, period);
  const allHits = filtered(recordedHits, query);
  const allHitsBefore = filtered(hitsOf(recorded, before), query);
  const peopleOf = (all: readonly KnownHit[]) => all.filter(({ is_bot }) => is_bot === 0);
  const totalOf = (all: readonly KnownHit[]) => (includeBots === false ? peopleOf(all) : all);
  const audienceOf = (all: readonly KnownHit[]) => (includeBots === true ? all : peopleOf(all));
  return {
    ...{ period, periodBefore: before, includeBots, timezone, query, recordedHits, allHits },
    hits: totalOf(allHits),
    hitsBefore: totalOf(allHitsBefore),
    audience: audienceOf(allHits),
    audienceBefore: audienceOf(allHitsBefore),
  };
}

/** Returns the previous period: as many days if it has whole days, otherwise of equal length. */
function periodBefore({ startMs, endMs }: Period, timezone: string): Period {
  const { localOf, momentOf } = clockOf(timezone);
  const [first, after] = [localOf(startMs), localOf(endMs + 1)];
  const isOfWholeDays = startOfDay(first) === first && startOfDay(after) === after;
  const lengthMs = endMs - startMs + 1;
  const days = Math.round((after - first) / DAY_MS);
  return {
    startMs: isOfWholeDays ? momentOf(first - days * DAY_MS) : startMs - lengthMs,
    endMs: startMs - 1,
  };
}

function hitsOf(recorded: readonly KnownHit[], { startMs, endMs }: Period): KnownHit[] {
  return recorded.filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs);
}
