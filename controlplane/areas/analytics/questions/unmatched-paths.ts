import { Type } from 'typebox';
import { NO_ENTRY } from '../../../../shared/paths/entry-ids.js';
import { count, LimitSchema } from '../analytics-schema.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { visitorsOf } from '../source.js';
import { withShares } from './list-rows.js';
import { LIST_COUNTS, LIST_ORDER, topKey } from './ranked-shares.js';

export const unmatchedPathStats = defineQuestion({
  path: 'stats/unmatched-paths',
  summary: 'Requested paths without an entry or rule',
  title: 'UnmatchedPathStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    paths: Type.Array(
      Type.Object({
        path: Type.String({
          description: 'Path of the request without the query. It can be the `source` of a new entry.',
        }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalPaths: count('Number of paths, including those beyond the end of the list.'),
      totalHits: count('Hits of all these paths.'),
      topPath: topKey('The first row of the list.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const rows = await readRows(context, limit);
    const { totalPaths = 0, totalHits = 0 } = rows[0] ?? {};
    const paths = withShares(rows, totalHits).map(({ path, hits, uniqueVisitors, percentage }) => ({
      path,
      hits,
      uniqueVisitors: Math.min(uniqueVisitors, hits),
      percentage,
    }));
    return {
      data: { paths, summary: { totalPaths, totalHits, topPath: paths[0]?.path ?? null } },
      meta: { limit },
    };
  },
});

interface Row {
  readonly path: string;
  readonly hits: number;
  readonly uniqueVisitors: number;
  readonly totalPaths: number;
  readonly totalHits: number;
}

/**
 * No roll-up has paths with what decided, so the hits themselves are read. A percentage decides for a visitor outside it that no
 * rule does.
 */
function readRows({ source, select }: QueryContext, limit: number): Promise<Row[]> {
  const groups = source.groups({
    rollUp: 'by_path',
    keys: { path: 'path' },
    measures: ['n', 'visitors'],
    where: `${AUDIENCE} AND (rule_id = 0 OR entry_id = ${NO_ENTRY})`,
    hitByHit: true,
  });
  return select<Row>(
    `SELECT path, sum(n) AS hits, ${visitorsOf('by_path')} AS uniqueVisitors, count() OVER () AS totalPaths,
       sum(hits) OVER () AS totalHits
     FROM (${groups}) GROUP BY path ORDER BY hits DESC, path LIMIT {limit:UInt32}`,
    { limit },
  );
}
