import { Type } from 'typebox';
import { count, percent } from '../analytics-schema.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { percentage } from '../ratios.js';
import { DAY, visitorsIf, visitorsOf } from '../source.js';
import { unixMs } from '../sql-time.js';
import { countZonedDays, datesOf } from './days.js';
import { withShares } from './list-rows.js';

const botReason = (description: string) => Type.String({ description });

export const botStats = defineQuestion({
  path: 'stats/bots',
  summary: 'Bots by reason',
  title: 'BotStats',
  query: {},
  data: Type.Object({
    bots: Type.Array(
      Type.Object({
        botReason: botReason('`user-agent`, `head`, `prefetch`, `preview` or `unknown`.'),
        hits: count('Hits of bots with this reason.'),
        uniqueVisitors: count('Distinct bots.'),
        percentage: percent('Percentage of the hits of all bots.'),
      }),
      { description: 'Sorted by hits, then by reason.' },
    ),
    daily: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date', description: 'Date in the time zone of the request.' }),
        hits: count('Hits of bots.'),
        uniqueVisitors: count('Distinct bots.'),
      }),
      { description: 'All days of the period.' },
    ),
    summary: Type.Object({
      totalHits: count('Sum of `botHits` and `humanHits`.'),
      botHits: count('Hits of known bots.'),
      humanHits: count('Hits that are not from known bots.'),
      botsPercentage: percent('Percentage of `botHits` in `totalHits`.'),
      topBotReason: Type.Union([botReason('The most frequent value.'), Type.Null()]),
    }),
  }),
  meta: {},
  bots: 'always',
  series: () => ({ daily: 'day' }),
  async ask(context) {
    const [rows, daily] = await Promise.all([readReasons(context), readDays(context)]);
    const hitsOf = (isBot: 0 | 1) =>
      rows.reduce((sum, row) => (row.is_bot === isBot ? sum + row.hits : sum), 0);
    const [botHits, humanHits] = [hitsOf(1), hitsOf(0)];
    const reasons = rows.filter(({ is_bot }) => is_bot === 1);
    const bots = withShares(reasons, botHits).map(({ is_bot, ...row }) => row);
    const summary = {
      totalHits: botHits + humanHits,
      botHits,
      humanHits,
      botsPercentage: percentage(botHits, botHits + humanHits),
      topBotReason: bots[0]?.botReason ?? null,
    };
    return { data: { bots, daily, summary }, meta: {} };
  },
});

interface ReasonRow {
  readonly is_bot: 0 | 1;
  readonly botReason: string;
  readonly hits: number;
  /** Visitors that are bots. */
  readonly uniqueVisitors: number;
}

/** All reasons, and the people's hits, for which there is none. */
function readReasons({ source, select }: QueryContext): Promise<ReasonRow[]> {
  const hits = source.groups({
    rollUp: 'by_day',
    keys: { is_bot: 'is_bot', reason: "if(bot_reason = '', 'unknown', bot_reason)" },
    measures: ['n', 'visitors'],
  });
  return select<ReasonRow>(
    `SELECT is_bot, reason AS botReason, sum(n) AS hits, ${visitorsIf('by_day', 'is_bot = 1')} AS uniqueVisitors
     FROM (${hits}) GROUP BY is_bot, reason ORDER BY hits DESC, botReason`,
  );
}

const NO_HITS = { hits: 0, uniqueVisitors: 0 } as const;

async function readDays(context: QueryContext) {
  const rows = context.zoned.isUtc
    ? await readDaysOfUtc(context)
    : await countZonedDays(context, { where: 'is_bot = 1', measures: ['n', 'visitors'] });
  const found = new Map(
    rows.map(({ startMs, hits, uniqueVisitors }) => [startMs, { hits, uniqueVisitors }] as const),
  );
  return datesOf(context).map(({ date, startMs }) => ({ date, ...(found.get(startMs) ?? NO_HITS) }));
}

function readDaysOfUtc({ source, select }: QueryContext) {
  const hits = source.groups({
    rollUp: 'by_day',
    keys: { day: DAY, is_bot: 'is_bot' },
    measures: ['n', 'visitors'],
    where: 'is_bot = 1',
  });
  return select<{ startMs: number; hits: number; uniqueVisitors: number }>(
    `SELECT ${unixMs('day')} AS startMs, sum(n) AS hits, least(${visitorsOf('by_day')}, hits) AS uniqueVisitors
     FROM (${hits}) GROUP BY startMs`,
  );
}
