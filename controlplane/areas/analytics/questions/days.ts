import { bucketStarts } from '../intervals.js';
import { iso } from '../period.js';
import type { AskedList, QueryContext } from '../question.js';
import { DAY, unixMs } from '../source.js';

export interface Totals {
  readonly botHits: number;
  readonly humanHits: number;
  /** Answered with 2xx or 3xx. */
  readonly successfulHits: number;
  /** Visitors of the audience. */
  readonly uniqueVisitors: number;
}

export interface DayHits {
  /** Midnight in the time zone, Unix time. */
  readonly startMs: number;
  readonly hits: number;
}

export interface CountedDays {
  readonly totals: Totals;
  /** Days with hits, in order. */
  readonly days: readonly DayHits[];
}

/** Reads the hits of a period, in total and by day. */
export async function countDays(context: QueryContext): Promise<CountedDays> {
  const { zoned, countHits } = context;
  const [totals, days] = await Promise.all([
    countTotals(context),
    zoned.isUtc
      ? countHits({ rollUp: 'by_day', keys: { startMs: unixMs(DAY) }, of: 'counted' })
      : countZonedDays(context, { of: 'counted' }),
  ]);
  return {
    totals,
    days: days.map(({ startMs, hits }) => ({ startMs: Number(startMs), hits })).sort(byStart),
  };
}

async function countTotals({ countHits }: QueryContext): Promise<Totals> {
  const keys = { isBot: 'is_bot', successful: 'status_code BETWEEN 200 AND 399' };
  const [rows, [audience]] = await Promise.all([
    countHits({ rollUp: 'by_day', keys, of: 'counted' }),
    countHits({ rollUp: 'by_day', keys: {}, of: 'audience', withVisitors: true }),
  ]);
  const hitsWith = (key: keyof typeof keys, value: '0' | '1') =>
    rows.reduce((sum, row) => (row[key] === value ? sum + row.hits : sum), 0);
  return {
    botHits: hitsWith('isBot', '1'),
    humanHits: hitsWith('isBot', '0'),
    successfulHits: hitsWith('successful', '1'),
    uniqueVisitors: audience?.uniqueVisitors ?? 0,
  };
}

const byStart = (one: DayHits, other: DayHits) => one.startMs - other.startMs;

interface ZonedDay extends DayHits {
  /** 0 unless the list counts visitors. */
  readonly uniqueVisitors: number;
}

/** Returns the days of the time zone with hits, in order. */
export async function countZonedDays(
  { countHits, zoned }: QueryContext,
  list: Pick<AskedList<never>, 'of' | 'withVisitors'>,
): Promise<ZonedDay[]> {
  const { hitByHit, slot } = zoned;
  const keys = { day: unixMs(`toDate(${zoned.local(slot)}, 'UTC')`) };
  const rows = await countHits({ ...list, rollUp: 'by_hour', keys, hitByHit });
  return rows
    .map(({ day, hits, uniqueVisitors }) => ({
      startMs: zoned.zone.momentOf(Number(day)),
      ...{ hits, uniqueVisitors },
    }))
    .sort(byStart);
}

/** Returns every day that the period touches. */
export function datesOf({ period, zoned: { zone } }: QueryContext): { date: string; startMs: number }[] {
  return bucketStarts(period, 'day', zone, 'start').map((startMs) => ({
    // A day that begins later than at midnight still has its own date.
    date: iso(zone.localOf(startMs)).slice(0, 'YYYY-MM-DD'.length),
    startMs,
  }));
}
