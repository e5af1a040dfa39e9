import { bucketStarts } from '../intervals.js';
import { iso } from '../period.js';
import { AUDIENCE, COUNTED, type QueryContext } from '../question.js';
import { DAY, type Measure, visitorsIf, visitorsOf } from '../source.js';
import { unixMs } from '../sql-time.js';

export interface Totals {
  readonly botHits: number;
  readonly humanHits: number;
  /** Answered with 2xx or 3xx. */
  readonly successfulHits: number;
  /** Visitors of the audience. */
  readonly uniqueVisitors: number;
}

export interface DayHits {
  /** Midnight of the time zone, Unix time. */
  readonly startMs: number;
  readonly hits: number;
}

export interface CountedDays {
  readonly totals: Totals;
  /** Days with hits, in order. */
  readonly days: readonly DayHits[];
}

type CountedRow = Totals & DayHits & { readonly isTotal: 0 | 1 };

const NO_HITS: Totals = { botHits: 0, humanHits: 0, successfulHits: 0, uniqueVisitors: 0 };

/** The hits of a period, all together and day by day. */
export async function countDays(context: QueryContext): Promise<CountedDays> {
  if (context.zoned.isUtc) return countDaysOfUtc(context);
  const [{ totals }, days] = await Promise.all([
    countDaysOfUtc(context),
    countZonedDays(context, { where: COUNTED, measures: ['n'] }),
  ]);
  return { totals, days };
}

/** Counts days of UTC with one statement. */
async function countDaysOfUtc({ source, select }: QueryContext): Promise<CountedDays> {
  const hits = source.groups({
    rollUp: 'by_day',
    keys: { day: DAY, is_bot: 'is_bot', successful: 'status_code BETWEEN 200 AND 399' },
    measures: ['n', 'visitors'],
    where: COUNTED,
  });
  const rows = await select<CountedRow>(
    `SELECT grouping(day) AS isTotal, ${unixMs('day')} AS startMs, sum(n) AS hits,
       sumIf(n, is_bot = 1) AS botHits, sumIf(n, is_bot = 0) AS humanHits,
       sumIf(n, successful) AS successfulHits, ${visitorsIf('by_day', AUDIENCE)} AS uniqueVisitors
     FROM (${hits}) GROUP BY GROUPING SETS ((), (day)) ORDER BY startMs`,
  );
  return {
    totals: rows.find(({ isTotal }) => isTotal === 1) ?? NO_HITS,
    days: rows.filter(({ isTotal }) => isTotal === 0),
  };
}

interface ZonedDay extends DayHits {
  /** 0 unless measured. */
  readonly uniqueVisitors: number;
}

/** The days of the time zone that have hits, in order. */
export async function countZonedDays(
  { source, select, zoned }: QueryContext,
  { where, measures }: { readonly where: string; readonly measures: readonly Measure[] },
): Promise<ZonedDay[]> {
  const { hitByHit, slot } = zoned;
  const keys = { slot, is_bot: 'is_bot' };
  const hits = source.groups({ rollUp: 'by_hour', keys, measures, where, hitByHit });
  const visitors = measures.includes('visitors') ? `least(${visitorsOf('by_hour')}, hits)` : '0';
  const rows = await select<ZonedDay>(
    `SELECT ${unixMs(`toDate(${zoned.local('slot')}, 'UTC')`)} AS startMs, sum(n) AS hits, ${visitors} AS uniqueVisitors
     FROM (${hits}) GROUP BY startMs ORDER BY startMs`,
  );
  return rows.map((row) => ({ ...row, startMs: zoned.zone.momentOf(row.startMs) }));
}

/** Every day that the period touches. */
export function datesOf({ period, zoned: { zone } }: QueryContext): { date: string; startMs: number }[] {
  return bucketStarts(period, 'day', zone, 'start').map((startMs) => ({
    // A day that begins later than at midnight begins on its own date all the same.
    date: iso(zone.localOf(startMs)).slice(0, 'YYYY-MM-DD'.length),
    startMs,
  }));
}
