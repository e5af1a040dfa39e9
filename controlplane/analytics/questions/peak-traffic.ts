import { type TSchema, Type } from 'typebox';
import { count, LimitSchema, timestamp } from '../analytics-schema.js';
import { HOUR_MS, type Period } from '../period.js';
import { type Asking, AUDIENCE, defineQuestion } from '../question.js';
import { rankedList } from '../ranked-list.js';
import { average } from '../ratios.js';
import { HOUR } from '../source.js';
import { rowCounts, withShares } from './list-rows.js';

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const PEAK_START = 'Start of an hour (UTC); the period may begin within it.';

export const peakTrafficStats = defineQuestion({
  path: 'stats/peak-traffic',
  summary: 'The busiest hours',
  title: 'PeakTrafficStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    peaks: Type.Array(
      Type.Object({ timestamp: timestamp(PEAK_START), ...rowCounts('the hits of the period') }),
      {
        description: 'Hours of the period that have hits. By hits, most first, then by time.',
      },
    ),
    summary: Type.Object({
      totalHits: count('Hits of the period; without bots unless `includeBots`.'),
      peakHits: count('Hits of the hour that had the most.'),
      peakTimestamp: orNull(timestamp('That hour, the earliest of equals.')),
      avgHits: Type.Number({ description: '`totalHits` over the hours that the period touches.' }),
      busiestHourOfDay: orNull(
        Type.Integer({ minimum: 0, maximum: 23, description: 'All days together; the earliest of equals.' }),
      ),
      busiestDayOfWeek: orNull(
        Type.Integer({ minimum: 0, maximum: 6, description: '0 is Sunday; the first of equals.' }),
      ),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(asking, { limit }) {
    const [{ rows, totalHits }, busiest] = await Promise.all([
      rankedList(asking, { rollUp: 'by_hour', keys: KEYS, limit }),
      readBusiest(asking),
    ]);
    const peaks = withShares(rows, totalHits).map(({ starts_at, ...counts }) => ({
      timestamp: starts_at,
      ...counts,
    }));
    const summary = {
      totalHits,
      peakHits: peaks[0]?.hits ?? 0,
      peakTimestamp: peaks[0]?.timestamp ?? null,
      avgHits: average(totalHits, hoursOf(asking.period)),
      ...busiest,
    };
    return { data: { peaks, summary }, meta: { limit } };
  },
});

/** ISO 8601, whose order as text is that of time. */
const KEYS = { starts_at: `formatDateTime(${HOUR}, '%Y-%m-%dT%H:00:00.000Z', 'UTC')` };

interface BusiestRow {
  readonly list: 'hour' | 'weekday';
  readonly value: number;
}

/** The hour of the day and the day of the week with the most hits. */
async function readBusiest({ source, select }: Asking) {
  const hits = source.groups({ rollUp: 'by_hour', keys: { hour: HOUR, is_bot: 'is_bot' }, measures: ['n'] });
  const rows = await select<BusiestRow>(
    `SELECT if(grouping(of_day) = 0, 'hour', 'weekday') AS list, if(list = 'hour', of_day, of_week) AS value
     FROM (
       SELECT toHour(hour, 'UTC') AS of_day, toDayOfWeek(hour, 2, 'UTC') AS of_week, sum(n) AS counted
       FROM (${hits}) WHERE ${AUDIENCE} GROUP BY of_day, of_week
     ) GROUP BY GROUPING SETS ((of_day), (of_week)) ORDER BY list, sum(counted) DESC, value LIMIT 1 BY list`,
  );
  const busiest = (wanted: BusiestRow['list']) => rows.find(({ list }) => list === wanted)?.value ?? null;
  return { busiestHourOfDay: busiest('hour'), busiestDayOfWeek: busiest('weekday') };
}

function hoursOf({ startMs, endMs }: Period): number {
  return Math.floor(endMs / HOUR_MS) - Math.floor(startMs / HOUR_MS) + 1;
}
