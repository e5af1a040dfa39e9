import { type Static, type TProperties, Type } from 'typebox';
import { ENTRY_IDS_FROM } from '../../../../shared/paths/entry-ids.js';
import { count, percent } from '../analytics-schema.js';
import { REFERRER } from '../hit-filters.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { percentage } from '../ratios.js';
import { type basicStats, basicStatsOf } from './basic.js';
import { countTops, readTops, TOP_COUNTS, TOP_ORDER, type TopRow } from './dashboard-tops.js';
import { type CountedDays, countDays, datesOf } from './days.js';
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

const orUnknown = (column: string) => `if(${column} = '', 'unknown', ${column})`;

/** Digits of the greatest number, so that texts sort like numbers; empty if no rule decided. */
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
