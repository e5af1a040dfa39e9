import { Type } from 'typebox';
import { count, percent } from '../analytics-schema.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { percentage } from '../ratios.js';
import { DAY, unixMs } from '../source.js';
import { countZonedDays, datesOf } from './days.js';
import { byHits, orUnknown, sumOfHits, withShares } from './list-rows.js';

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
    const [{ reasons, humanHits }, daily] = await Promise.all([readReasons(context), readDays(context)]);
    const botHits = sumOfHits(reasons);
    const bots = withShares(reasons, botHits);
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

interface Reason {
  readonly botReason: string;
  readonly hits: number;
  readonly uniqueVisitors: number;
}

/** Reads the reasons with the hits and visitors of bots, and the hits of people. */
async function readReasons({ countHits }: QueryContext): Promise<{ reasons: Reason[]; humanHits: number }> {
  const keys = { botReason: orUnknown('bot_reason') };
  const [bots, [people]] = await Promise.all([
    countHits({ rollUp: 'by_day', keys, of: 'bots', withVisitors: true }),
    countHits({ rollUp: 'by_day', keys: {}, of: 'people' }),
  ]);
  return {
    reasons: byHits(bots, (row) => row.botReason),
    humanHits: people?.hits ?? 0,
  };
}

const NO_HITS = { hits: 0, uniqueVisitors: 0 } as const;

async function readDays(context: QueryContext) {
  const rows = context.zoned.isUtc
    ? await readDaysOfUtc(context)
    : await countZonedDays(context, { of: 'bots', withVisitors: true });
  const found = new Map(
    rows.map(({ startMs, hits, uniqueVisitors }) => [Number(startMs), { hits, uniqueVisitors }]),
  );
  return datesOf(context).map(({ date, startMs }) => ({ date, ...(found.get(startMs) ?? NO_HITS) }));
}

function readDaysOfUtc({ countHits }: QueryContext) {
  return countHits({ rollUp: 'by_day', keys: { startMs: unixMs(DAY) }, of: 'bots', withVisitors: true });
}
