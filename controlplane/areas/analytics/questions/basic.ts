import { type Static, Type } from 'typebox';
import { count, percent, timestamp } from '../analytics-schema.js';
import { daysOf, iso } from '../period.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { average, percentage } from '../ratios.js';
import { type CountedDays, countDays } from './days.js';

const BasicStatsSchema = Type.Object({
  totalHits: count('Sum of `botHits` and `humanHits`.'),
  uniqueVisitors: count('Distinct visitors. Excludes bots unless `includeBots`.'),
  botHits: count('Hits of known bots.'),
  humanHits: count('Hits that are not from known bots.'),
  avgHitsPerDay: Type.Number({
    description: '`totalHits` divided by the days of the period.',
  }),
  peakHits: count('Hits of the busiest day.'),
  peakDate: Type.Union([timestamp('Start of the day with the most hits.'), Type.Null()]),
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

/** Sums the counts of the days of a period. */
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
