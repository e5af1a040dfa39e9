import { type TSchema, Type } from 'typebox';
import { count, LimitSchema, percent, timestamp } from '../analytics-schema.js';
import { hoursOf } from '../intervals.js';
import { iso } from '../period.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { average } from '../ratios.js';
import { type Measure, visitorsOf } from '../source.js';
import { unixMs } from '../sql-time.js';
import { rowCounts, withShares } from './list-rows.js';

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

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
      peakTimestamp: orNull(timestamp('The busiest hour.')),
      avgHits: Type.Number({ description: '`totalHits` divided by the hours of the period.' }),
      busiestHourOfDay: orNull(hourOfDay('Hour of the day with the most hits.')),
      busiestDayOfWeek: orNull(dayOfWeek('Weekday with the most hits (0 is Sunday).')),
    }),
  }),
  meta: { limit: LimitSchema },
  series: () => ({ 'distribution.byHour': 'hour-of-day', 'distribution.byWeekday': 'day-of-week' }),
  async ask(context, { limit }) {
    const [rows, { byHour, byWeekday }] = await Promise.all([
      readPeaks(context, limit),
      readDistribution(context),
    ]);
    const totalHits = rows[0]?.totalHits ?? 0;
    const peaks = withShares(rows, totalHits).map(({ startMs, hits, uniqueVisitors, percentage }) => ({
      timestamp: iso(startMs),
      ...{ hits, uniqueVisitors, percentage },
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

const slots = ({ source, zoned }: QueryContext, measures: readonly Measure[]) =>
  source.groups({
    rollUp: 'by_hour',
    keys: { slot: zoned.slot, is_bot: 'is_bot' },
    measures,
    where: AUDIENCE,
    hitByHit: zoned.hitByHit,
  });

interface PeakRow {
  /** Start of the hour, Unix time in milliseconds. */
  readonly startMs: number;
  readonly hits: number;
  readonly uniqueVisitors: number;
  /** Hits of all hours. */
  readonly totalHits: number;
}

/** The hours with the most hits, and the hits of all. */
function readPeaks(context: QueryContext, limit: number): Promise<PeakRow[]> {
  return context.select<PeakRow>(
    `SELECT *, sum(hits) OVER () AS totalHits FROM (
       SELECT ${unixMs(context.zoned.hourStart('slot'))} AS startMs, sum(n) AS hits,
         least(${visitorsOf('by_hour')}, hits) AS uniqueVisitors
       FROM (${slots(context, ['n', 'visitors'])}) GROUP BY startMs
     ) ORDER BY hits DESC, startMs LIMIT {limit:UInt32}`,
    { limit },
  );
}

interface DistributionRow {
  readonly list: 'hour' | 'weekday';
  readonly value: number;
  readonly hits: number;
}

/** The hits by hour of the day and by day of the week. */
async function readDistribution(context: QueryContext) {
  const rows = await context.select<DistributionRow>(
    `SELECT if(grouping(of_day) = 0, 'hour', 'weekday') AS list, if(list = 'hour', of_day, of_week) AS value,
       sum(counted) AS hits
     FROM (
       SELECT ${context.zoned.local('slot')} AS local, toHour(local, 'UTC') AS of_day,
         toDayOfWeek(local, 2, 'UTC') AS of_week, sum(n) AS counted
       FROM (${slots(context, ['n'])}) GROUP BY local
     ) GROUP BY GROUPING SETS ((of_day), (of_week))`,
  );
  const hitsOf = (wanted: DistributionRow['list'], size: number) => {
    const found = new Map(
      rows.filter(({ list }) => list === wanted).map(({ value, hits }) => [value, hits] as const),
    );
    const all = Array.from({ length: size }, (_, value) => ({ value, hits: found.get(value) ?? 0 }));
    return withShares(
      all,
      all.reduce((sum, { hits }) => sum + hits, 0),
    );
  };
  return {
    byHour: hitsOf('hour', 24).map(({ value: hour, ...share }) => ({ hour, ...share })),
    byWeekday: hitsOf('weekday', 7).map(({ value, ...share }) => ({ dayOfWeek: value, ...share })),
  };
}

/** The first one with the most hits; none without hits. */
function busiest<Row extends { readonly hits: number }>(rows: readonly Row[]): Row | undefined {
  const most = Math.max(...rows.map(({ hits }) => hits));
  return most === 0 ? undefined : rows.find(({ hits }) => hits === most);
}
