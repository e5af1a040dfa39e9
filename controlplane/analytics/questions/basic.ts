import { Type } from 'typebox';
import { count, percent, timestamp } from '../analytics-schema.js';
import { daysOf, iso } from '../period.js';
import { type Asking, AUDIENCE, defineQuestion } from '../question.js';
import { average, percentage } from '../ratios.js';
import { HOUR, visitorsIf } from '../source.js';
import { unixMs } from '../sql-time.js';

const BasicStatsSchema = Type.Object({
  totalHits: count('`botHits` + `humanHits`.'),
  uniqueVisitors: count('Distinct visitors; without bots unless `includeBots`.'),
  botHits: count('Hits of known bots.'),
  humanHits: count('All other hits.'),
  avgHitsPerDay: Type.Number({
    description: '`totalHits` over the calendar days (UTC) that the period touches.',
  }),
  peakHits: count('Hits of the day (UTC) that had the most.'),
  peakDate: Type.Union([timestamp('Midnight (UTC) of that day, the earliest of equals.'), Type.Null()]),
  successRate: percent('Percentage of hits answered with 2xx or 3xx.'),
});

export const basicStats = defineQuestion({
  path: 'stats/basic',
  summary: 'Counts of a period',
  title: 'BasicStats',
  query: {},
  data: BasicStatsSchema,
  meta: {},
  async ask(asking) {
    const [totals, peak] = await Promise.all([readTotals(asking), readPeak(asking)]);
    const { botHits, humanHits, successfulHits, uniqueVisitors } = totals;
    const totalHits = botHits + humanHits;
    return {
      data: {
        totalHits,
        uniqueVisitors,
        botHits,
        humanHits,
        avgHitsPerDay: average(totalHits, daysOf(asking.period)),
        peakHits: peak?.hits ?? 0,
        peakDate: peak === undefined ? null : iso(peak.startMs),
        successRate: percentage(successfulHits, totalHits),
      },
      meta: {},
    };
  },
});

const NO_HITS = { botHits: 0, humanHits: 0, successfulHits: 0, uniqueVisitors: 0 } as const;

async function readTotals({ source, select }: Asking): Promise<Record<keyof typeof NO_HITS, number>> {
  const hits = source.groups({
    rollUp: 'by_hour',
    keys: { is_bot: 'is_bot', successful: 'status_code BETWEEN 200 AND 399' },
    measures: ['n', 'visitors'],
  });
  const [totals] = await select<Record<keyof typeof NO_HITS, number>>(
    `SELECT sumIf(n, is_bot = 1) AS botHits, sumIf(n, is_bot = 0) AS humanHits,
       sumIf(n, successful) AS successfulHits, ${visitorsIf(AUDIENCE)} AS uniqueVisitors
     FROM (${hits})`,
  );
  return totals ?? NO_HITS;
}

/** The day (UTC) with the most hits, the earliest of equals; none when there were no hits. */
async function readPeak({ source, select }: Asking) {
  const hits = source.groups({ rollUp: 'by_hour', keys: { hour: HOUR }, measures: ['n'] });
  const [peak] = await select<{ startMs: number; hits: number }>(
    `SELECT ${unixMs("toStartOfDay(hour, 'UTC')")} AS startMs, sum(n) AS hits
     FROM (${hits}) GROUP BY startMs ORDER BY hits DESC, startMs LIMIT 1`,
  );
  return peak;
}
