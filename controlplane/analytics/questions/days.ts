import { type Asking, AUDIENCE } from '../question.js';
import { DAY, visitorsIf } from '../source.js';
import { unixMs } from '../sql-time.js';

export interface Totals {
  readonly botHits: number;
  readonly humanHits: number;
  /** Answered with 2xx or 3xx. */
  readonly successfulHits: number;
  /** Of the audience. */
  readonly uniqueVisitors: number;
}

export interface DayHits {
  /** Midnight (UTC), Unix time. */
  readonly startMs: number;
  /** Bots' included. */
  readonly hits: number;
}

export interface CountedDays {
  readonly totals: Totals;
  /** Only days that have hits, in order. */
  readonly days: readonly DayHits[];
}

type CountedRow = Totals & DayHits & { readonly isTotal: 0 | 1 };

const NO_HITS: Totals = { botHits: 0, humanHits: 0, successfulHits: 0, uniqueVisitors: 0 };

/** The hits of a period, all together and day by day, with one statement. */
export async function countDays({ source, select }: Asking): Promise<CountedDays> {
  const hits = source.groups({
    rollUp: 'by_day',
    keys: { day: DAY, is_bot: 'is_bot', successful: 'status_code BETWEEN 200 AND 399' },
    measures: ['n', 'visitors'],
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
