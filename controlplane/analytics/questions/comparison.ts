import { type Static, Type } from 'typebox';
import { COMMON_QUERY, count, timestamp } from '../analytics-schema.js';
import { iso, type Period } from '../period.js';
import { defineQuestion } from '../question.js';
import { basicStats } from './basic.js';
import { rowCounts, withShares } from './list-rows.js';
import { changeInPercent, changeSchema, metaOfBefore, PERIOD_BEFORE_META } from './period-before.js';

const PERIODS = ['current', 'previous'] as const;

const PeriodSchema = Type.Object({
  period: Type.Enum([...PERIODS]),
  start: timestamp('First millisecond.'),
  end: timestamp('Last millisecond.'),
  ...rowCounts('the hits of both periods'),
  totalHits: count('`botHits` + `humanHits`, as in `summary`; equals `hits` with `includeBots`.'),
  botHits: count('Hits of known bots.'),
  humanHits: count('All other hits; equals `hits` without `includeBots`.'),
});

const ChangeSchema = Type.Object({
  hits: changeSchema('`totalHits`'),
  uniqueVisitors: changeSchema('`uniqueVisitors`'),
  botHits: changeSchema('`botHits`'),
  humanHits: changeSchema('`humanHits`'),
});

type BasicStats = Static<typeof basicStats.data>;

export const comparisonStats = defineQuestion({
  path: 'stats/comparison',
  summary: 'A period against the one before',
  title: 'ComparisonStats',
  query: { includeBots: COMMON_QUERY.includeBots },
  data: Type.Object({
    periods: Type.Array(PeriodSchema, {
      description: 'Both, with hits or without: the current one, then the one before.',
    }),
    summary: Type.Object({ current: basicStats.data, previous: basicStats.data, change: ChangeSchema }),
  }),
  meta: PERIOD_BEFORE_META,
  async ask(asking, { includeBots }) {
    const before = asking.before();
    const [{ data: current }, { data: previous }] = await Promise.all([
      basicStats.ask(asking, {}),
      basicStats.ask(before, {}),
    ]);
    const row = (period: (typeof PERIODS)[number], { startMs, endMs }: Period, stats: BasicStats) => ({
      period,
      start: iso(startMs),
      end: iso(endMs),
      hits: includeBots ? stats.totalHits : stats.humanHits,
      uniqueVisitors: stats.uniqueVisitors,
      totalHits: stats.totalHits,
      botHits: stats.botHits,
      humanHits: stats.humanHits,
    });
    const rows = [row('current', asking.period, current), row('previous', before.period, previous)];
    const bothHits = rows.reduce((sum, { hits }) => sum + hits, 0);
    return {
      data: {
        periods: withShares(rows, bothHits),
        summary: { current, previous, change: changeOf(current, previous) },
      },
      meta: metaOfBefore(before),
    };
  },
});

function changeOf(current: BasicStats, previous: BasicStats): Static<typeof ChangeSchema> {
  const change = (member: 'totalHits' | 'uniqueVisitors' | 'botHits' | 'humanHits') =>
    changeInPercent(current[member], previous[member]);
  return {
    hits: change('totalHits'),
    uniqueVisitors: change('uniqueVisitors'),
    botHits: change('botHits'),
    humanHits: change('humanHits'),
  };
}
