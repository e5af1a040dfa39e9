import { type Static, Type } from 'typebox';
import { count, percent, timestamp } from '../analytics-schema.js';
import { daysOf, iso } from '../period.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { average, percentage } from '../ratios.js';
import { type CountedDays, countDays } from './days.js';

const BasicStatsSchema = Type.Object({
  totalHits: count('`botHits` + `humanHits`.'),
  uniqueVisitors: count('Distinct visitors; without bots unless `includeBots`.'),
  botHits: count('Hits of known bots.'),
  humanHits: count('All other hits.'),
  avgHitsPerDay: Type.Number({
    description: '`totalHits` over the calendar days that the period touches.',
  }),
  peakHits: count('Hits of the day that had the most.'),
  peakDate: Type.Union([timestamp('Midnight of that day, the earliest of equals.'), Type.Null()]),
  successRate: percent('Percentage of hits answered with 2xx or 3xx.'),
});

export const basicStats = defineQuestion({
  path: 'stats/basic',
  summary: 'Counts of a period',
  title: 'BasicStats',
  query: {},
  data: BasicStatsSchema,
  meta: {},
  bots: 'totals',
  async ask(context) {
    return { data: basicStatsOf(context, await countDays(context)), meta: {} };
  },
});

/** The counts of a period from those of its days. */
export function basicStatsOf(
  { period, zoned }: QueryContext,
  { totals, days }: CountedDays,
): Static<typeof BasicStatsSchema> {
  const { botHits, humanHits, successfulHits, uniqueVisitors } = totals;
  const totalHits = botHits + humanHits;
  const peakHits = days.reduce((most, { hits }) => Math.max(most, hits), 0);
  const peak = days.find(({ hits }) => hits === peakHits);
  return {
    totalHits,
    uniqueVisitors,
    botHits,
    humanHits,
    avgHitsPerDay: average(totalHits, daysOf(period, zoned.zone)),
    peakHits,
    peakDate: peak === undefined ? null : iso(peak.startMs),
    successRate: percentage(successfulHits, totalHits),
  };
}
