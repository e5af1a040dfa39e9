import { Type } from 'typebox';
import { count } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { rankedList } from '../ranked-list.js';
import { average } from '../ratios.js';
import { HOUR } from '../source.js';
import { rowCounts, withShares } from './list-rows.js';

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
        hour: hourOfDay('Hour of the day (UTC): 8 is from 08:00 to 08:59.'),
        ...rowCounts('all these hits'),
      }),
      {
        description:
          'The hours that have hits, all days of the period together. By hits, most first, then by hour.',
      },
    ),
    summary: Type.Object({
      totalHits: count('Sum over all hours.'),
      peakHits: count('Hits of the hour that had the most.'),
      peakHour: Type.Union([hourOfDay('That hour, the earliest of equals.'), Type.Null()]),
      avgHits: Type.Number({ description: '`totalHits` over 24 hours.' }),
    }),
  }),
  meta: {},
  async ask(asking) {
    const { rows, totalHits } = await rankedList(asking, {
      rollUp: 'by_hour',
      // Two digits, so that the order of texts is that of hours.
      keys: { hour_of_day: `leftPad(toString(toHour(${HOUR})), 2, '0')` },
      limit: HOURS_OF_DAY,
    });
    const hours = withShares(rows, totalHits).map(({ hour_of_day, ...counts }) => ({
      hour: Number(hour_of_day),
      ...counts,
    }));
    const summary = {
      totalHits,
      peakHits: hours[0]?.hits ?? 0,
      peakHour: hours[0]?.hour ?? null,
      avgHits: average(totalHits, HOURS_OF_DAY),
    };
    return { data: { hours, summary }, meta: {} };
  },
});
