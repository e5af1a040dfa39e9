import { Type } from 'typebox';
import { count } from '../analytics-schema.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { average } from '../ratios.js';
import { rowCounts, sumOfHits, withShares } from './list-rows.js';

const HOURS_OF_DAY = 24;

const hourOfDay = (description: string) =>
  Type.Integer({ minimum: 0, maximum: HOURS_OF_DAY - 1, description });

export const hourlyStats = defineQuestion({
  path: 'stats/hourly',
  summary: 'Hits by the hour of the day',
  title: 'HourlyStats',
  query: {},
  data: Type.Object({
    hours: Type.Array(
      Type.Object({
        hour: hourOfDay('Hour of the day. 8 means 08:00 to 08:59.'),
        ...rowCounts('all these hits'),
      }),
      {
        description: 'All 24 hours, each summed over the period, sorted by hits.',
      },
    ),
    summary: Type.Object({
      totalHits: count('Sum of all hours.'),
      peakHits: count('Hits of the busiest hour.'),
      peakHour: Type.Union([hourOfDay('The busiest hour.'), Type.Null()]),
      avgHits: Type.Number({ description: '`totalHits` divided by 24.' }),
    }),
  }),
  meta: {},
  series: () => ({ hours: 'hour-of-day' }),
  async ask(context) {
    const found = new Map((await readHours(context)).map((row) => [row.hour, row]));
    const rows = Array.from({ length: HOURS_OF_DAY }, (_, hour) => ({
      ...NO_HITS,
      ...found.get(hour),
      hour,
    }));
    const totalHits = sumOfHits(rows);
    const hours = withShares(
      rows.sort((one, other) => other.hits - one.hits),
      totalHits,
    );
    const peak = hours.find(({ hits }) => hits > 0);
    const summary = {
      totalHits,
      peakHits: peak?.hits ?? 0,
      peakHour: peak?.hour ?? null,
      avgHits: average(totalHits, HOURS_OF_DAY),
    };
    return { data: { hours, summary }, meta: {} };
  },
});

const NO_HITS = { hits: 0, uniqueVisitors: 0 } as const;

interface Hour extends Readonly<Record<keyof typeof NO_HITS, number>> {
  readonly hour: number;
}

/** Reads the hours with hits. */
async function readHours({ countHits, zoned: { slot, hitByHit, local } }: QueryContext): Promise<Hour[]> {
  const keys = { hour: `toHour(${local(slot)}, 'UTC')` };
  const rows = await countHits({ rollUp: 'by_hour', keys, of: 'audience', withVisitors: true, hitByHit });
  return rows.map(({ hour, hits, uniqueVisitors }) => ({ hour: Number(hour), hits, uniqueVisitors }));
}
