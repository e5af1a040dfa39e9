import { type Static, type TProperties, Type } from 'typebox';
import { ENTRY_IDS_FROM } from '../../../../shared/paths/entry-ids.js';
import { count, percent } from '../analytics-schema.js';
import { REFERRER } from '../hit-filters.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { percentage } from '../ratios.js';
import type { RollUp } from '../source.js';
import { type basicStats, basicStatsOf } from './basic.js';
import { type CountedDays, countDays, datesOf } from './days.js';
import { byHits, orUnknown, sumOfHits, withShares } from './list-rows.js';
import { changeInPercent, changeSchema, metaOfBefore, PERIOD_BEFORE_META } from './period-before.js';

const OverviewSchema = Type.Object({
  totalHits: count('All hits. Includes bots unless `includeBots=false`.'),
  uniqueVisitors: count('Distinct visitors. Excludes bots unless `includeBots`.'),
  botsPercentage: percent('Percentage of hits of known bots.'),
  avgHitsPerDay: Type.Number({
    description: '`totalHits` divided by the days of the period.',
  }),
  successRate: percent('Percentage of hits answered with 2xx or 3xx.'),
  change: Type.Object({
    hits: changeSchema('`totalHits`'),
    uniqueVisitors: changeSchema('`uniqueVisitors`'),
  }),
});

const TOP_ROWS = 10;

/** Columns of the dashboard's lists beside the key. */
const TOP_COUNTS = {
  count: count('Excludes bots unless `includeBots`.'),
  percentage: percent('Percentage of all hits of the list, including rows beyond its end.'),
};

const TOP_ORDER = `The first ${TOP_ROWS}, sorted by hits, then by name.`;

const topList = <Key extends TProperties>(key: Key, what: string) =>
  Type.Array(Type.Object({ ...key, ...TOP_COUNTS }), { description: `${what} ${TOP_ORDER}` });

const DashboardSchema = Type.Object({
  overview: OverviewSchema,
  topCountries: topList(
    { country: Type.String() },
    'Country codes (ISO 3166-1 alpha-2), without unknown countries.',
  ),
  topDevices: topList({ device: Type.String() }, 'Types of device, including `unknown`.'),
  topBrowsers: topList({ browser: Type.String() }, 'Names of browsers, including `unknown`.'),
  topReferrers: topList(
    { referrer: Type.String() },
    'Domains, or `direct`, `search`, `social` or `unknown`.',
  ),
  topRules: topList({ ruleId: Type.Integer(), name: Type.String() }, 'Deciding rules.'),
  dailyTrends: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date', description: 'Date in the time zone of the request.' }),
      count: count('Hits. Includes bots unless `includeBots=false`.'),
    }),
    { description: 'All days of the period, including days without hits.' },
  ),
});

export const dashboard = defineQuestion({
  path: 'dashboard',
  summary: 'Overview of a redirect',
  title: 'Dashboard',
  query: {},
  data: DashboardSchema,
  meta: PERIOD_BEFORE_META,
  bots: 'totals',
  series: () => ({ dailyTrends: 'day' }),
  async ask(context) {
    const before = context.before();
    const [counted, countedBefore, tops] = await Promise.all([
      countDays(context),
      countDays(before),
      readTopLists(context),
    ]);
    const overview = overviewOf(basicStatsOf(context, counted), basicStatsOf(before, countedBefore));
    return {
      data: { overview, ...tops, dailyTrends: dailyTrendsOf(context, counted) },
      meta: metaOfBefore(before),
    };
  },
});

type BasicStats = Static<typeof basicStats.data>;

function overviewOf(now: BasicStats, before: BasicStats): Static<typeof OverviewSchema> {
  const { totalHits, uniqueVisitors, botHits, avgHitsPerDay, successRate } = now;
  return {
    totalHits,
    uniqueVisitors,
    botsPercentage: percentage(botHits, totalHits),
    avgHitsPerDay,
    successRate,
    change: {
      hits: changeInPercent(totalHits, before.totalHits),
      uniqueVisitors: changeInPercent(uniqueVisitors, before.uniqueVisitors),
    },
  };
}

/** Padded to the digits of the greatest number, because texts then sort like numbers; empty if no rule decided. */
const RULE = `if(rule_id = 0 OR rule_id > ${ENTRY_IDS_FROM}, '', leftPad(toString(rule_id), 20, '0'))`;

async function readTopLists(context: QueryContext) {
  const [countries, devices, browsers, rules, referrers] = await Promise.all([
    countTops(context, 'by_country', 'country'),
    countTops(context, 'by_client', orUnknown('device_type')),
    countTops(context, 'by_client', orUnknown('browser_name')),
    readTops(context, 'by_condition', RULE),
    readTops(context, 'by_referrer', REFERRER),
  ]);
  return {
    topCountries: countries.map(({ name: country, ...counts }) => ({ country, ...counts })),
    topDevices: devices.map(({ name: device, ...counts }) => ({ device, ...counts })),
    topBrowsers: browsers.map(({ name: browser, ...counts }) => ({ browser, ...counts })),
    topReferrers: referrers.map(({ name: referrer, ...counts }) => ({ referrer, ...counts })),
    topRules: await named(context, rules),
  };
}

/** Names deleted rules by their number. */
async function named({ ruleNames }: QueryContext, rules: readonly TopRow[]) {
  const names = rules.length === 0 ? undefined : await ruleNames();
  return rules.map(({ name: digits, ...counts }) => {
    const ruleId = Number(digits);
    return { ruleId, name: names?.get(ruleId) ?? `Rule ${ruleId}`, ...counts };
  });
}

function dailyTrendsOf(context: QueryContext, { days }: CountedDays) {
  const found = new Map(days.map(({ startMs, hits }) => [startMs, hits]));
  return datesOf(context).map(({ date, startMs }) => ({ date, count: found.get(startMs) ?? 0 }));
}

interface TopRow {
  readonly name: string;
  readonly count: number;
  readonly percentage: number;
}

/**
 * Returns the rows with the most hits, without visitors, of a roll-up with few rows. The same statement counts all
 * lists of the roll-up in the request.
 *
 * @param key text expression over the roll-up's columns; rows with an empty one are omitted
 */
async function countTops({ countHits }: QueryContext, rollUp: RollUp, key: string): Promise<TopRow[]> {
  const counted = await countHits({ rollUp, keys: { name: key }, of: 'audience' });
  const rows = counted.filter(({ name }) => name !== '');
  return topRows(
    byHits(rows, ({ name }) => name),
    sumOfHits(rows),
  );
}

/** Does the same for a roll-up with many rows, by a separate statement that reads only the top rows. */
async function readTops({ source, select }: QueryContext, rollUp: RollUp, key: string): Promise<TopRow[]> {
  const groups = source.groups({ rollUp, keys: { name: key }, measures: ['n'], where: AUDIENCE });
  const rows = await select<{ name: string; hits: number; totalHits: number }>(
    `SELECT name, sum(n) AS hits, sum(hits) OVER () AS totalHits FROM (${groups}) WHERE name != ''
     GROUP BY name ORDER BY hits DESC, name LIMIT {limit:UInt32}`,
    { limit: TOP_ROWS },
  );
  return topRows(rows, rows[0]?.totalHits ?? 0);
}

function topRows(rows: readonly { name: string; hits: number }[], totalHits: number): TopRow[] {
  const shown = withShares(rows.slice(0, TOP_ROWS), totalHits);
  return shown.map(({ name, hits, percentage }) => ({ name, count: hits, percentage }));
}
