import { Type } from 'typebox';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { type Asking, AUDIENCE, defineQuestion } from '../question.js';
import { agreeing } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { type Measure, visitorsOf } from '../source.js';
import { rowCounts, withShares } from './list-rows.js';
import { LIST_ORDER, topKey } from './ranked-shares.js';

export const queryParamStats = defineQuestion({
  path: 'stats/query-params',
  summary: 'Which query parameters visitors bring',
  title: 'QueryParamStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    queryParams: Type.Array(
      Type.Object({
        param: Type.String({ description: 'Name of the parameter, as sent. Its values are not told.' }),
        ...rowCounts(
          '`hits` of all rows, also of those beyond the end of the list: a hit is in as many rows as it has parameters',
        ),
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalQueryParams: count('Parameters, also those beyond the end of the list.'),
      topQueryParam: topKey('The first one.'),
      coverage: percent('Share of hits with a query parameter.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(asking, { limit }) {
    const [rows, { coveredHits, allHits, ...totals }] = await Promise.all([
      readRows(asking, limit),
      readTotals(asking),
    ]);
    const { totalRows, totalHits } = agreeing(totals, rows, limit);
    const summary = {
      totalQueryParams: totalRows,
      topQueryParam: rows[0]?.param ?? null,
      coverage: percentage(coveredHits, allHits),
    };
    return { data: { queryParams: withShares(rows, totalHits), summary }, meta: { limit } };
  },
});

const groupsOf = ({ source }: Asking, measures: readonly Measure[], where = AUDIENCE) =>
  source.groups({ rollUp: 'by_query_names', keys: { names: 'query_names' }, measures, where });

/** Around groups by all the names of a hit: one row for each of the names. */
const eachParam = (groups: string) =>
  `SELECT arrayJoin(splitByChar('&', names)) AS param, * EXCEPT names FROM (${groups})`;

const WITH_NAMES = `${AUDIENCE} AND names != ''`;

interface ParamRow {
  readonly param: string;
  readonly hits: number;
  readonly uniqueVisitors: number;
}

/** As in other lists the rows are found by their hits, and visitors worked out for those alone. */
function readRows(asking: Asking, limit: number): Promise<ParamRow[]> {
  const top = `SELECT param FROM (${eachParam(groupsOf(asking, ['n'], WITH_NAMES))})
    GROUP BY param ORDER BY sum(n) DESC, param LIMIT {limit:UInt32}`;
  const withTop = `SELECT names FROM (${groupsOf(asking, ['n'], WITH_NAMES)})
    WHERE hasAny(splitByChar('&', names), (SELECT groupArray(param) FROM (${top})))`;
  const groups = groupsOf(asking, ['n', 'visitors'], `${WITH_NAMES} AND names IN (${withTop})`);
  return asking.select<ParamRow>(
    `SELECT param, sum(n) AS hits, least(${visitorsOf('by_query_names')}, hits) AS uniqueVisitors
     FROM (${eachParam(groups)}) WHERE param IN (${top})
     GROUP BY param ORDER BY hits DESC, param`,
    { limit },
  );
}

/** `totalHits` are those of all rows. */
const NO_HITS = { totalRows: 0, totalHits: 0, coveredHits: 0, allHits: 0 } as const;

async function readTotals(asking: Asking): Promise<Record<keyof typeof NO_HITS, number>> {
  const [totals] = await asking.select<Record<keyof typeof NO_HITS, number>>(
    `SELECT uniqExactArray(arrayFilter(name -> name != '', splitByChar('&', names))) AS totalRows,
       sumIf(n * (1 + countSubstrings(names, '&')), names != '') AS totalHits,
       sumIf(n, names != '') AS coveredHits, sum(n) AS allHits
     FROM (${groupsOf(asking, ['n'])})`,
  );
  return totals ?? NO_HITS;
}
