import { Type } from 'typebox';
import { nullable } from '../../../http/schema-parts.js';
import { count, LimitSchema, percent, timestamp } from '../analytics-schema.js';
import { hoursOf } from '../intervals.js';
import { iso } from '../period.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { average } from '../ratios.js';
import { unixMs } from '../source.js';
import type { TimeZone } from '../time-zone.js';
import { rowCounts, sumOfHits, withShares } from './list-rows.js';

const hourOfDay = (description: string) => Type.Integer({ minimum: 0, maximum: 23, description });
const dayOfWeek = (description: string) => Type.Integer({ minimum: 0, maximum: 6, description });
const SHARE = {
  hits: count('Excludes bots unless `includeBots`.'),
  percentage: percent('Percentage of the hits of the period.'),
};

const PEAK_START = 'Start of an hour. The period may begin within it.';

export const peakTrafficStats = defineQuestion({
  path: 'stats/peak-traffic',
  summary: 'Busiest hours',
  title: 'PeakTrafficStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    peaks: Type.Array(
      Type.Object({ timestamp: timestamp(PEAK_START), ...rowCounts('the hits of the period') }),
      {
        description: 'Hours of the period with hits, sorted by hits, then by time.',
      },
    ),
    distribution: Type.Object(
      {
        byHour: Type.Array(
          Type.Object({ hour: hourOfDay('Hour of the day. 8 means 08:00 to 08:59.'), ...SHARE }),
          {
            description: 'All 24 hours of the day, starting with 0.',
          },
        ),
        byWeekday: Type.Array(Type.Object({ dayOfWeek: dayOfWeek('0 is Sunday.'), ...SHARE }), {
          description: 'All seven days of the week, starting with Sunday.',
        }),
      },
      { description: 'Hits by hour and by weekday, summed over the period.' },
    ),
    summary: Type.Object({
      totalHits: count('Hits of the period. Excludes bots unless `includeBots`.'),
      peakHits: count('Hits of the busiest hour.'),
      peakTimestamp: nullable(timestamp('The busiest hour.')),
      avgHits: Type.Number({ description: '`totalHits` divided by the hours of the period.' }),
      busiestHourOfDay: nullable(hourOfDay('Hour of the day with the most hits.')),
      busiestDayOfWeek: nullable(dayOfWeek('Weekday with the most hits (0 is Sunday).')),
    }),
  }),
  meta: { limit: LimitSchema },
  series: () => ({ 'distribution.byHour': 'hour-of-day', 'distribution.byWeekday': 'day-of-week' }),
  async ask(context, { limit }) {
    const hours = await readHours(context);
    const { byHour, byWeekday } = distributionOf(hours, context.zoned.zone);
    const totalHits = sumOfHits(hours);
    const peaks = withShares(hours.slice(0, limit), totalHits).map(({ startMs, ...row }) => ({
      timestamp: iso(startMs),
      ...row,
    }));
    const summary = {
      totalHits,
      peakHits: peaks[0]?.hits ?? 0,
      peakTimestamp: peaks[0]?.timestamp ?? null,
      avgHits: average(totalHits, hoursOf(context.period, context.zoned.zone)),
      busiestHourOfDay: busiest(byHour)?.hour ?? null,
      busiestDayOfWeek: busiest(byWeekday)?.dayOfWeek ?? null,
    };
    return { data: { peaks, distribution: { byHour, byWeekday }, summary }, meta: { limit } };
  },
});

interface Hour {
  /** Unix time in milliseconds. */
  readonly startMs: number;
  readonly hits: number;
  readonly uniqueVisitors: number;
}

/** Reads the hours with hits, the busiest first. */
async function readHours({ countHits, zoned }: QueryContext): Promise<Hour[]> {
  const { slot, hitByHit } = zoned;
  const keys = { startMs: unixMs(zoned.hourStart(slot)) };
  const rows = await countHits({ rollUp: 'by_hour', keys, of: 'audience', withVisitors: true, hitByHit });
  return rows
    .map(({ startMs, hits, uniqueVisitors }) => ({ startMs: Number(startMs), hits, uniqueVisitors }))
    .sort((one, other) => other.hits - one.hits || one.startMs - other.startMs);
}

/** Returns the hits by hour of the day and by day of the week. */
function distributionOf(hours: readonly Hour[], zone: TimeZone) {
  const byHour = Array.from({ length: 24 }, (_, hour) => ({ hour, hits: 0 }));
  const byWeekday = Array.from({ length: 7 }, (_, dayOfWeek) => ({ dayOfWeek, hits: 0 }));
  for (const { startMs, hits } of hours) {
    const local = new Date(zone.localOf(startMs));
    for (const row of [byHour[local.getUTCHours()], byWeekday[local.getUTCDay()]]) {
      if (row !== undefined) row.hits += hits;
    }
  }
  const totalHits = sumOfHits(hours);
  return { byHour: withShares(byHour, totalHits), byWeekday: withShares(byWeekday, totalHits) };
}

/** Returns the first one with the most hits; none without hits. */
function busiest<Row extends { readonly hits: number }>(rows: readonly Row[]): Row | undefined {
  const most = Math.max(...rows.map(({ hits }) => hits));
  return most === 0 ? undefined : rows.find(({ hits }) => hits === most);
}
