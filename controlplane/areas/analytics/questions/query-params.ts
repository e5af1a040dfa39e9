import { Type } from 'typebox';
import { amongTexts } from '../among-texts.js';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { percentage } from '../ratios.js';
import { type Measure, visitorsOf } from '../source.js';
import { rowCounts, withShares } from './list-rows.js';
import { LIST_ORDER, topKey } from './ranked-shares.js';

export const queryParamStats = defineQuestion({
  path: 'stats/query-params',
  summary: 'Query parameters',
  title: 'QueryParamStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    queryParams: Type.Array(
      Type.Object({
        param: Type.String({ description: 'Name of the query parameter. Its values are not shown.' }),
        ...rowCounts(
          'the sum of all rows, including rows beyond the end of the list. A hit with several parameters counts in several rows',
        ),
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalQueryParams: count('Number of parameters, including those beyond the end of the list.'),
      topQueryParam: topKey('The first row of the list.'),
      coverage: percent('Percentage of hits with a query parameter.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const { rows, totalRows, totalHits, coveredHits, allHits } = await readFirst(context, limit);
    const visitors = rows.length === 0 ? new Map() : await readVisitors(context, rows);
    const queryParams = rows.map(({ param, hits }) => ({
      param,
      hits,
      // Hits may have expired since the first statement, but they had visitors.
      uniqueVisitors: Math.min(visitors.get(param) ?? 1, hits),
    }));
    const summary = {
      totalQueryParams: totalRows,
      topQueryParam: rows[0]?.param ?? null,
      coverage: percentage(coveredHits, allHits),
    };
    return { data: { queryParams: withShares(queryParams, totalHits), summary }, meta: { limit } };
  },
});

const groupsOf = ({ source }: QueryContext, measures: readonly Measure[], where = AUDIENCE) =>
  source.groups({ rollUp: 'by_query_names', keys: { names: 'query_names' }, measures, where });

/** Groups by all the names of a hit: one row for each name, or one with an empty name. */
const eachParam = (groups: string) =>
  `SELECT arrayJoin(arrayEnumerate(splitByChar('&', names))) AS place, splitByChar('&', names)[place] AS param, *
   FROM (${groups})`;

interface ParamRow {
  readonly param: string;
  readonly hits: number;
}

const NO_HITS = { totalRows: 0, totalHits: 0, coveredHits: 0, allHits: 0 } as const;

/** `totalHits` is the sum of all rows. `coveredHits` counts a hit once, with any number of parameters. */
type Totals = Readonly<Record<keyof typeof NO_HITS, number>>;

/** Reads the parameters with the most hits, and the totals of all. */
async function readFirst(context: QueryContext, limit: number): Promise<Totals & { rows: ParamRow[] }> {
  // Hits without a parameter come last. If there are any hits, a row with the totals therefore exists.
  const found = await context.select<ParamRow & Totals>(
    `SELECT param, hits, sum(param != '') OVER () AS totalRows, sumIf(hits, param != '') OVER () AS totalHits,
       sum(once) OVER () AS allHits, sumIf(once, param != '') OVER () AS coveredHits
     FROM (
       SELECT param, sum(n) AS hits, sumIf(n, place = 1) AS once
       FROM (${eachParam(groupsOf(context, ['n']))}) GROUP BY param
     ) ORDER BY param = '', hits DESC, param LIMIT {limit:UInt32}`,
    { limit },
  );
  const { totalRows, totalHits, coveredHits, allHits } = found[0] ?? NO_HITS;
  const rows = found.filter(({ param }) => param !== '').map(({ param, hits }) => ({ param, hits }));
  return { rows, totalRows, totalHits, coveredHits, allHits };
}

/** Reads the visitors of the shown rows only, from the groups with one of these parameters. */
async function readVisitors(context: QueryContext, rows: readonly ParamRow[]): Promise<Map<string, number>> {
  const listed = amongTexts(
    ['param'],
    rows.map(({ param }) => [param]),
    'listed',
  );
  const withListed = `SELECT names FROM (${eachParam(groupsOf(context, ['n']))}) WHERE ${listed.sql}`;
  const groups = groupsOf(context, ['visitors'], `${AUDIENCE} AND names IN (${withListed})`);
  const found = await context.select<{ param: string; visitors: number }>(
    `SELECT param, ${visitorsOf('by_query_names')} AS visitors
     FROM (${eachParam(groups)}) WHERE ${listed.sql} GROUP BY param`,
    listed.params,
  );
  return new Map(found.map(({ param, visitors }) => [param, visitors]));
}
