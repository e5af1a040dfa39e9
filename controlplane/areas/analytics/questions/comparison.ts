import { type Static, Type } from 'typebox';
import { timestamp } from '../analytics-schema.js';
import { iso, type Period } from '../period.js';
import { defineQuestion } from '../question.js';
import { basicStats } from './basic.js';
import { rowCounts, sumOfHits, withShares } from './list-rows.js';
import { changeInPercent, changeSchema, metaOfBefore, PERIOD_BEFORE_META } from './period-before.js';

const PERIODS = ['current', 'previous'] as const;

const PeriodSchema = Type.Object({
  period: Type.Enum([...PERIODS]),
  start: timestamp('First millisecond of the period.'),
  end: timestamp('Last millisecond of the period.'),
  ...rowCounts('the hits of both periods'),
});

const ChangeSchema = Type.Object({
  hits: changeSchema('`totalHits`'),
  uniqueVisitors: changeSchema('`uniqueVisitors`'),
  botHits: changeSchema('`botHits`'),
  humanHits: changeSchema('`humanHits`'),
  avgHitsPerDay: changeSchema('`avgHitsPerDay`'),
});

type BasicStats = Static<typeof basicStats.data>;

export const comparisonStats = defineQuestion({
  path: 'stats/comparison',
  summary: 'A period against the one before',
  title: 'ComparisonStats',
  query: {},
  data: Type.Object({
    periods: Type.Array(PeriodSchema, {
      description: 'Both periods, the one with more hits first.',
    }),
    summary: Type.Object({ current: basicStats.data, previous: basicStats.data, change: ChangeSchema }),
  }),
  meta: PERIOD_BEFORE_META,
  bots: 'totals',
  series: () => ({ periods: 'period' }),
  async ask(context) {
    const before = context.before();
    const [{ data: current }, { data: previous }] = await Promise.all([
      basicStats.ask(context, {}),
      basicStats.ask(before, {}),
    ]);
    const row = (period: (typeof PERIODS)[number], { startMs, endMs }: Period, stats: BasicStats) => ({
      period,
      start: iso(startMs),
      end: iso(endMs),
      hits: context.listsBots ? stats.totalHits : stats.humanHits,
      uniqueVisitors: stats.uniqueVisitors,
    });
    const rows = [row('current', context.period, current), row('previous', before.period, previous)].sort(
      (one, other) => other.hits - one.hits,
    );
    return {
      data: {
        periods: withShares(rows, sumOfHits(rows)),
        summary: { current, previous, change: changeOf(current, previous) },
      },
      meta: metaOfBefore(before),
    };
  },
});

function changeOf(current: BasicStats, previous: BasicStats): Static<typeof ChangeSchema> {
  const change = (member: 'totalHits' | 'uniqueVisitors' | 'botHits' | 'humanHits' | 'avgHitsPerDay') =>
    changeInPercent(current[member], previous[member]);
  return {
    hits: change('totalHits'),
    uniqueVisitors: change('uniqueVisitors'),
    botHits: change('botHits'),
    humanHits: change('humanHits'),
    avgHitsPerDay: change('avgHitsPerDay'),
  };
}
